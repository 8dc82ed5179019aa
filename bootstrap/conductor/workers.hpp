// Workers: what waits (BMCs, agents) happens in threads of a pool; results come back to the conductor's own thread.
// Workers is the seam: ThreadWorkers is real, InlineWorkers does the work when it is collected, in order.
#pragma once

#include <condition_variable>
#include <deque>
#include <functional>
#include <mutex>
#include <string>
#include <thread>
#include <vector>

#include "base/json.hpp"

namespace hearth::bootstrap {

/// How a piece of work ended.
struct Outcome {
  bool good = true;
  bool passing = false;  ///< not good, but may be tried again
  bool busy = false;     ///< the other side was still at something else
  std::string error;
  Json value;
};

using Work = std::function<Outcome()>;
using Finished = std::function<void(const Outcome&)>;

class Workers {
 public:
  virtual ~Workers() = default;
  /// `work` runs anywhere and must not throw; `finished` is called by collect().
  virtual void submit(Work work, Finished finished) = 0;
  /// Calls what has finished; true when there was something.
  virtual bool collect() = 0;
  /// Nothing is under way.
  [[nodiscard]] virtual bool idle() const = 0;
};

class ThreadWorkers final : public Workers {
 public:
  /// They are started with the first work: rights that this process gives up until then, they never have.
  explicit ThreadWorkers(std::size_t threads);
  ThreadWorkers(const ThreadWorkers&) = delete;
  ThreadWorkers& operator=(const ThreadWorkers&) = delete;
  /// Waits for work that is under way; what has not begun is dropped.
  ~ThreadWorkers() override;
  void submit(Work work, Finished finished) override;
  bool collect() override;
  [[nodiscard]] bool idle() const override;

 private:
  struct Task {
    Work work;
    Finished finished;
    Outcome outcome;
  };
  void serve();

  mutable std::mutex mutex_;
  std::condition_variable wake_;
  std::deque<Task> waiting_;
  std::deque<Task> done_;
  std::size_t running_ = 0;
  bool stopping_ = false;
  std::size_t wanted_;
  std::vector<std::thread> threads_;
};

class InlineWorkers final : public Workers {
 public:
  void submit(Work work, Finished finished) override { tasks_.push_back({std::move(work), std::move(finished)}); }
  bool collect() override;
  [[nodiscard]] bool idle() const override { return tasks_.empty(); }

 private:
  struct Task {
    Work work;
    Finished finished;
  };
  std::deque<Task> tasks_;
};

}  // namespace hearth::bootstrap
