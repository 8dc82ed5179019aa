#include "bootstrap/conductor/workers.hpp"

#include <utility>

namespace hearth::bootstrap {

ThreadWorkers::ThreadWorkers(std::size_t threads) : wanted_(threads) {}

ThreadWorkers::~ThreadWorkers() {
  {
    const std::lock_guard lock(mutex_);
    stopping_ = true;
    waiting_.clear();
  }
  wake_.notify_all();
  for (std::thread& thread : threads_) thread.join();
}

void ThreadWorkers::submit(Work work, Finished finished) {
  {
    const std::lock_guard lock(mutex_);
    waiting_.push_back({std::move(work), std::move(finished), {}});
    while (threads_.size() < wanted_) threads_.emplace_back([this] { serve(); });
  }
  wake_.notify_one();
}

void ThreadWorkers::serve() {
  std::unique_lock lock(mutex_);
  while (true) {
    wake_.wait(lock, [this] { return stopping_ || !waiting_.empty(); });
    if (stopping_) return;
    Task task = std::move(waiting_.front());
    waiting_.pop_front();
    ++running_;
    lock.unlock();
    task.outcome = task.work();
    task.work = nullptr;
    lock.lock();
    --running_;
    done_.push_back(std::move(task));
  }
}

bool ThreadWorkers::collect() {
  std::deque<Task> done;
  {
    const std::lock_guard lock(mutex_);
    done.swap(done_);
  }
  for (Task& task : done) task.finished(task.outcome);
  return !done.empty();
}

bool ThreadWorkers::idle() const {
  const std::lock_guard lock(mutex_);
  return waiting_.empty() && done_.empty() && running_ == 0;
}

bool InlineWorkers::collect() {
  const std::deque<Task> tasks = std::exchange(tasks_, {});
  for (const Task& task : tasks) task.finished(task.work());
  return !tasks.empty();
}

}  // namespace hearth::bootstrap
