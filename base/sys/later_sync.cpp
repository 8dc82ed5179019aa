#include "base/sys/later_sync.hpp"

#include <fcntl.h>
#include <unistd.h>

#include <algorithm>
#include <utility>

#include "base/error.hpp"
#include "base/sys/blocked_signals.hpp"
#include "base/text.hpp"

namespace hearth {

namespace {

constexpr std::chrono::seconds k_silence{10};

}  // namespace

LaterSync::LaterSync(fs::path file, std::function<void()> news)
    : file_(std::move(file)), fd_(Fd::open(file_.string(), O_RDONLY)), news_(std::move(news)) {
  const BlockedSignals blocked;
  thread_ = std::jthread([this](const std::stop_token& stop) { work(stop); });
}

void LaterSync::wrote() {
  const std::lock_guard lock(mutex_);
  ++written_;
  asked_.notify_one();
}

std::uint64_t LaterSync::written() const {
  const std::lock_guard lock(mutex_);
  return written_;
}

std::uint64_t LaterSync::kept() const {
  const std::lock_guard lock(mutex_);
  return kept_;
}

std::string LaterSync::trouble() const {
  const std::lock_guard lock(mutex_);
  if (!refusal_.empty() || begun_ == Time{} || std::chrono::steady_clock::now() - begun_ < k_silence) return refusal_;
  return silence();
}

std::string LaterSync::silence() const {
  return cat("the disk has not kept ", file_.string(), " for ", k_silence.count(), " s");
}

void LaterSync::end() {
  thread_.request_stop();
  std::unique_lock lock(mutex_);
  while (!has_ended_ && refusal_.empty()) {
    const Time now = std::chrono::steady_clock::now();
    if (begun_ != Time{} && now - begun_ >= k_silence) refusal_ = silence();
    flushed_.wait_until(lock, (begun_ == Time{} ? now : begun_) + k_silence);
  }
}

bool LaterSync::is_lost() const {
  const std::lock_guard lock(mutex_);
  return !refusal_.empty();
}

std::chrono::steady_clock::duration LaterSync::longest() {
  const std::lock_guard lock(mutex_);
  return std::exchange(longest_, {});
}

void LaterSync::work(const std::stop_token& stop) {
  std::unique_lock lock(mutex_);
  while (asked_.wait(lock, stop, [this] { return written_ > kept_; })) {
    const std::uint64_t number = written_;
    begun_ = std::chrono::steady_clock::now();
    lock.unlock();
    std::string refusal = attempt();
    lock.lock();
    longest_ = std::max(longest_, std::chrono::steady_clock::now() - std::exchange(begun_, Time{}));
    if (refusal_.empty()) refusal_ = std::move(refusal);
    const bool goes_on = refusal_.empty();
    if (goes_on) kept_ = number;
    lock.unlock();
    if (news_) news_();
    lock.lock();
    if (!goes_on) break;
  }
  has_ended_ = true;
  flushed_.notify_all();
}

/// Once only: after a refusal the kernel forgets what it could not write, and the next flush would succeed.
std::string LaterSync::attempt() const {
  return ::fsync(fd_.get()) == 0 ? "" : Error::from_errno("syncing", file_.string()).what();
}

}  // namespace hearth
