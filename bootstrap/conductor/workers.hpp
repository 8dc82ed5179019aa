// Workers: what waits (BMCs, agents) happens in threads of a pool; results come back to the conductor's own thread.
// Workers is the seam: ThreadWorkers is real, InlineWorkers does the work when it is collected, in order.
#pragma once

#include <chrono>
#include <condition_variable>
#include <deque>
#include <functional>
#include <mutex>
#include <set>
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
  Json value{};
  bool unsupported = false;  ///< not good, for there is no such thing there
};

using Work = std::function<Outcome()>;
using Finished = std::function<void(const Outcome&)>;

class Workers {
 public:
  virtual ~Workers() = default;
  /// `work` runs anywhere and must not throw; `finished` is called by collect().
  virtual void submit(Work work, Finished finished) = 0;
  /// Calls what has finished, the first `most` of it; true when there was something.
  virtual bool collect(std::size_t most) = 0;
  /// Nothing is under way.
  [[nodiscard]] virtual bool idle() const = 0;
};

/// A thread for each piece of work that waits, up to a limit: so many BMCs or agents may hang before anybody waits for
/// them. Who may have many of the same (PowerWatch) sees to it that they are not all of them.
class ThreadWorkers final : public Workers {
 public:
  /// They are started as they are needed: rights that this process gives up until then, they never have.
  explicit ThreadWorkers(std::size_t most);
  ThreadWorkers(const ThreadWorkers&) = delete;
  ThreadWorkers& operator=(const ThreadWorkers&) = delete;
  /// Waits for work that is under way; what has not begun is dropped.
  ~ThreadWorkers() override;
  struct Load {
    std::size_t busy = 0;     ///< at work
    std::size_t waiting = 0;  ///< for one of them
    std::size_t most = 0;
    std::size_t slow = 0;  ///< of those at work: since longer than k_slow
  };
  static constexpr std::chrono::seconds k_slow{10};  ///< a BMC that is well has answered by then
  [[nodiscard]] Load load() const;
  /// Begins nothing more, and waits so long for what is under way. False when something still is: then this must not be
  /// destroyed but the process ended, since what a BMC does not answer can't be called back.
  [[nodiscard]] bool stop(std::chrono::milliseconds patience);
  void submit(Work work, Finished finished) override;
  bool collect(std::size_t most) override;
  [[nodiscard]] bool idle() const override;

 private:
  struct Task {
    Work work;
    Finished finished;
    Outcome outcome;
  };
  void serve();
  void add_thread();

  mutable std::mutex mutex_;
  std::condition_variable wake_;
  std::condition_variable rest_;
  std::deque<Task> waiting_;
  std::deque<Task> done_;
  std::size_t running_ = 0;
  std::multiset<std::chrono::steady_clock::time_point> begun_;  ///< of each that runs
  bool stopping_ = false;
  std::size_t most_;
  std::vector<std::thread> threads_;
};

class InlineWorkers final : public Workers {
 public:
  void submit(Work work, Finished finished) override { tasks_.push_back({std::move(work), std::move(finished)}); }
  bool collect(std::size_t most) override;
  [[nodiscard]] bool idle() const override { return tasks_.empty(); }

 private:
  struct Task {
    Work work;
    Finished finished;
  };
  std::deque<Task> tasks_;
};

}  // namespace hearth::bootstrap
