#include "agent/deploy/image/write_pool.hpp"

#include <algorithm>
#include <cstring>
#include <system_error>

#include "base/check.hpp"
#include "base/error.hpp"
#include "base/sys/limits.hpp"
#include "base/text.hpp"

namespace hearth::agent::deploy {

namespace {

constexpr unsigned k_most_threads = 8;
constexpr std::size_t k_grain = std::size_t{64} << 10U;  ///< shorter stretches of zeros are written

bool is_all_zero(std::string_view bytes) {
  return bytes.empty() || (bytes.front() == 0 && std::memcmp(bytes.data(), bytes.data() + 1, bytes.size() - 1) == 0);
}

}  // namespace

WritePool::WritePool(unsigned threads) {
  if (threads == 0) threads = std::clamp(usable_processors(), 2U, k_most_threads);
  limit_ = 2 * threads + 2;
  threads_.reserve(threads);
  try {
    while (threads_.size() < threads) threads_.emplace_back([this] { run(); });
  } catch (const std::system_error& problem) {  // fewer do, too
    if (threads_.empty()) throw Error(ErrorKind::io, cat("starting a thread that writes the image: ", problem.what()));
  }
}

WritePool::~WritePool() {
  {
    const std::lock_guard lock(lock_);
    jobs_.clear();
    later_.clear();
    ending_ = true;
  }
  changed_.notify_all();
  for (std::thread& thread : threads_) thread.join();
}

void WritePool::rethrow() {
  if (failure_) std::rethrow_exception(failure_);
}

void WritePool::let_wait(std::size_t jobs) {
  const std::lock_guard lock(lock_);
  limit_ = std::max(limit_, jobs);
  changed_.notify_all();
}

void WritePool::add(Job job) {
  std::unique_lock lock(lock_);
  changed_.wait(lock, [this] { return waiting() < limit_ || failure_; });
  rethrow();
  jobs_.push_back(std::move(job));
  check(waiting() <= limit_ + threads_.size(), "no more jobs wait than may", "jobs", waiting(), "limit", limit_);
  changed_.notify_all();
}

void WritePool::follow(Job job) {
  const std::lock_guard lock(lock_);
  if (failure_ || ending_) return;
  later_.push_back(std::move(job));
  changed_.notify_all();
}

void WritePool::finish() {
  std::unique_lock lock(lock_);
  changed_.wait(lock, [this] { return (waiting() == 0 && running_ == 0) || failure_; });
  rethrow();
}

void WritePool::run() {
  Workbench bench;
  std::unique_lock lock(lock_);
  while (true) {
    changed_.wait(lock, [this] { return waiting() > 0 || ending_; });
    if (waiting() == 0) return;
    std::deque<Job>& line = jobs_.empty() ? later_ : jobs_;
    const Job job = std::move(line.front());
    line.pop_front();
    ++running_;
    lock.unlock();
    changed_.notify_all();
    std::exception_ptr failure;
    try {
      job(bench);
    } catch (...) {
      failure = std::current_exception();
    }
    lock.lock();
    check(running_ > 0, "a job that ends had begun");
    --running_;
    if (failure && !failure_) failure_ = failure;
    if (failure_) {
      jobs_.clear();
      later_.clear();
    }
    changed_.notify_all();
  }
}

void write_data(DiskTarget& disk, std::uint64_t offset, std::string_view bytes) {
  std::size_t at = 0;
  while (at < bytes.size()) {
    const auto grain = [&bytes](std::size_t from) { return bytes.substr(from, k_grain); };
    const bool zero = is_all_zero(grain(at));
    std::size_t end = at;
    while (end < bytes.size() && is_all_zero(grain(end)) == zero) end = std::min(end + k_grain, bytes.size());
    zero ? disk.zero(offset + at, end - at) : disk.write(offset + at, bytes.substr(at, end - at));
    at = end;
  }
}

}  // namespace hearth::agent::deploy
