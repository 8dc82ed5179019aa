// One scheduler for all that goes on in a simulated site. Time stands still while something runs, and goes to the next
// event when nothing does. Events have a total order: by time, then by when they were asked for.
//
// A task is code that waits: a driver that asks a BMC, a deploy agent, a machine's firmware. It has a stack of its own
// and runs until it sleeps or waits for a Bell; so the real code's blocking calls need no thread. Everything belongs to
// an Owner, which is a process or a machine from one start to its end. When it ends, at any moment at which a task
// waits, its events are dropped and its tasks are unwound by `Ended`, as if they had never gone on.
#pragma once

#include <cstdint>
#include <functional>
#include <list>
#include <map>
#include <memory>
#include <queue>
#include <string>
#include <vector>

#include "base/clock.hpp"

namespace hearth::simulation {

/// Unwinds a task whose owner has ended. No std::exception: nobody who means to go on catches it.
struct Ended {};

using OwnerId = std::uint64_t;

/// Wakes the one task that waits for it; rung before that, it need not wait.
class Bell {
 public:
  void ring();

 private:
  friend class Scheduler;
  std::function<void()> wake_;
  bool rung_ = false;
};

class Scheduler {
 public:
  Scheduler();
  Scheduler(const Scheduler&) = delete;
  Scheduler& operator=(const Scheduler&) = delete;
  ~Scheduler();

  /// Its sleep() is that of the task which calls it.
  [[nodiscard]] Clock& clock() { return clock_; }
  [[nodiscard]] MonotonicTime now() const { return clock_.now(); }
  [[nodiscard]] Duration elapsed() const;

  [[nodiscard]] OwnerId make_owner();
  [[nodiscard]] bool lives(OwnerId owner) const { return owners_.contains(owner); }
  /// Not from a task of this owner.
  void end(OwnerId owner);

  /// Calls `action` in so much time, unless its owner has ended by then.
  void after(Duration time, OwnerId owner, std::function<void()> action);
  /// Runs `body` as a task, from its first event on. What it throws but Ended ends the simulation.
  void start(OwnerId owner, std::function<void()> body);
  [[nodiscard]] bool is_in_task() const { return current_ != nullptr; }
  /// Whether the task that runs is being unwound: it waits for nothing any more.
  [[nodiscard]] bool is_ending() const;

  // Within a task.
  void sleep(Duration time);
  /// False when the time is over before it rings.
  bool wait(Bell& bell, Duration time);

  /// The next event; false when there is none, or it lies behind that time.
  bool step(MonotonicTime until);
  /// For its whole life.
  static constexpr OwnerId k_world = 0;

 private:
  class OwnClock final : public Clock {
   public:
    explicit OwnClock(Scheduler& scheduler) : scheduler_(scheduler) {}
    [[nodiscard]] MonotonicTime now() const override { return now_; }
    [[nodiscard]] WallTime wall() const override;
    void sleep(Duration duration) override { scheduler_.sleep(duration); }
    MonotonicTime now_;

   private:
    Scheduler& scheduler_;
  };
  struct Event {
    MonotonicTime at;
    std::uint64_t number;
    OwnerId owner;
    std::function<void()> action;
    bool operator<(const Event& other) const { return at != other.at ? at > other.at : number > other.number; }
  };
  struct Task;
  void resume(Task& task);
  void leave();
  void suspend();
  static void enter(unsigned high, unsigned low);

  OwnClock clock_;
  MonotonicTime began_;
  std::priority_queue<Event> events_;
  std::uint64_t next_event_ = 0;
  OwnerId next_owner_ = 1;
  std::map<OwnerId, std::list<std::unique_ptr<Task>>> owners_;
  Task* current_ = nullptr;
  struct Frame;
  std::unique_ptr<Frame> main_;
  std::vector<void*> stacks_;  ///< to be used again
};

}  // namespace hearth::simulation
