#include "bootstrap/conductor/workers.hpp"

#include <algorithm>
#include <iterator>
#include <system_error>
#include <utility>

#include "base/check.hpp"

namespace hearth::bootstrap {

ThreadWorkers::ThreadWorkers(std::size_t most) : most_(most) {}

bool ThreadWorkers::stop(std::chrono::milliseconds patience) {
  std::unique_lock lock(mutex_);
  stopping_ = true;
  waiting_.clear();
  wake_.notify_all();
  return rest_.wait_for(lock, patience, [this] { return running_ == 0; });
}

ThreadWorkers::~ThreadWorkers() {
  {
    const std::lock_guard lock(mutex_);
    stopping_ = true;
    waiting_.clear();
  }
  wake_.notify_all();
  for (std::thread& thread : threads_) thread.join();
}

ThreadWorkers::Load ThreadWorkers::load() const {
  const std::lock_guard lock(mutex_);
  const auto slow = begun_.upper_bound(std::chrono::steady_clock::now() - k_slow);
  return {running_, waiting_.size(), most_, static_cast<std::size_t>(std::distance(begun_.begin(), slow))};
}

void ThreadWorkers::submit(Work work, Finished finished) {
  {
    const std::lock_guard lock(mutex_);
    waiting_.push_back({std::move(work), std::move(finished), {}});
    const bool all_busy = running_ + waiting_.size() > threads_.size();
    if (!stopping_ && all_busy && threads_.size() < most_) add_thread();
  }
  wake_.notify_one();
}

/// Where the system allows no more of them, those that are there have to do.
void ThreadWorkers::add_thread() {
  try {
    threads_.emplace_back([this] { serve(); });
  } catch (const std::system_error&) {
    if (threads_.empty()) throw;
  }
}

void ThreadWorkers::serve() {
  std::unique_lock lock(mutex_);
  while (true) {
    wake_.wait(lock, [this] { return stopping_ || !waiting_.empty(); });
    if (stopping_) return;
    Task task = std::move(waiting_.front());
    waiting_.pop_front();
    ++running_;
    const auto begun = begun_.insert(std::chrono::steady_clock::now());
    lock.unlock();
    task.outcome = task.work();
    task.work = nullptr;
    lock.lock();
    check(running_ > 0 && running_ <= threads_.size(), "each thread does one task at a time", "tasks", running_,
          "threads", threads_.size());
    --running_;
    begun_.erase(begun);
    done_.push_back(std::move(task));
    rest_.notify_all();
  }
}

bool ThreadWorkers::collect(std::size_t most) {
  std::size_t left = 0;
  {
    const std::lock_guard lock(mutex_);
    left = std::min(done_.size(), most);
  }
  const bool news = left > 0;
  for (; left > 0; --left) {  // one by one: where taking one fails, the others are still there
    Task task;
    {
      const std::lock_guard lock(mutex_);
      task = std::move(done_.front());
      done_.pop_front();
    }
    task.finished(task.outcome);
  }
  return news;
}

bool ThreadWorkers::idle() const {
  const std::lock_guard lock(mutex_);
  return waiting_.empty() && done_.empty() && running_ == 0;
}

bool InlineWorkers::collect(std::size_t most) {
  const bool news = !tasks_.empty();
  for (std::size_t left = std::min(tasks_.size(), most); left > 0; --left) {
    const Task task = std::move(tasks_.front());
    tasks_.pop_front();
    task.finished(task.work());
  }
  return news;
}

}  // namespace hearth::bootstrap
