#include "base/sys/later_sync.hpp"

#include <algorithm>
#include <utility>

#include "base/error.hpp"
#include "base/sys/blocked_signals.hpp"
#include "base/sys/sync.hpp"
#include "base/text.hpp"

namespace hearth {

namespace {

constexpr std::chrono::seconds k_silence{10};

}  // namespace

LaterSync::LaterSync(fs::path file, std::function<void()> news) : file_(std::move(file)), news_(std::move(news)) {
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
  return cat("the disk has not kept ", file_.string(), " for ", k_silence.count(), " s");
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
    if (refusal.empty()) kept_ = number;
    refusal_ = std::move(refusal);
    const bool goes_on = refusal_.empty();
    lock.unlock();
    if (news_) news_();
    if (!goes_on) return;
    lock.lock();
  }
}

/// Once only: after a refusal the kernel forgets what it could not write, and the next flush would succeed.
std::string LaterSync::attempt() const try {
  sync_file(file_);
  return "";
} catch (const Error& error) {
  return error.what();
}

}  // namespace hearth
