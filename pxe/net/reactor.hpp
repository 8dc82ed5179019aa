// Reactor: one thread that waits for many descriptors and timers at once (epoll). It owns neither descriptors nor
// watchers. Not thread-safe but for stop() and post().
#pragma once

#include <atomic>
#include <cstdint>
#include <functional>
#include <mutex>
#include <queue>
#include <span>
#include <vector>

#include "base/clock.hpp"
#include "base/sys/fd.hpp"

struct epoll_event;

namespace hearth::pxe {

/// What a descriptor's events are handed to.
class Watcher {
 public:
  virtual ~Watcher() = default;
  /// `events` are epoll's (EPOLLIN …), level-triggered.
  virtual void ready(std::uint32_t events) = 0;
};

class Reactor {
 public:
  /// Throws Error when the kernel refuses.
  explicit Reactor(const Clock& clock);
  Reactor(const Reactor&) = delete;
  Reactor& operator=(const Reactor&) = delete;

  void watch(int fd, std::uint32_t events, Watcher& watcher);
  void change(int fd, std::uint32_t events, Watcher& watcher);
  /// From here on `watcher` hears nothing more of it, even of events that have been fetched already.
  void forget(int fd, Watcher& watcher);
  /// Calls `action` once, at `when` or a little later. There is no way to cancel: the action asks whether it still
  /// applies.
  void at(MonotonicTime when, std::function<void()> action);

  /// While `worth_it` says so, events are looked for some tens of microseconds before the thread sleeps: waking it
  /// takes as long. The processor is busy meanwhile.
  void look_before_waiting(std::function<bool()> worth_it) { worth_looking_ = std::move(worth_it); }

  /// While `rests` says so nothing is handled: what comes and what is due waits.
  void rest_while(std::function<bool()> rests) { rests_ = std::move(rests); }

  /// What a watcher or a timer throws ends that one call, and is told here; a loop that does nothing but throw ends
  /// nevertheless. Without this, run() throws it.
  void contain(std::function<void(const std::string& what)> tell) { contained_ = std::move(tell); }

  /// The time at which the events being handled were fetched.
  [[nodiscard]] MonotonicTime now() const { return now_; }
  /// Runs until stop().
  void run();
  /// Handles what is ready, waiting for it at most `patience`.
  void run_once(Duration patience);
  /// May be called from any thread and from a signal handler.
  void stop() noexcept;
  /// Calls `action` on the reactor's thread, soon. May be called from any thread.
  void post(std::function<void()> action);

 private:
  struct Timer {
    MonotonicTime when;
    std::uint64_t order;
    std::function<void()> action;
    bool operator<(const Timer& other) const { return when == other.when ? order > other.order : when > other.when; }
  };
  template <class Action>
  void guarded(const Action& action);
  int fetch(std::span<epoll_event> events, int timeout_ms);
  static void rest();
  void expire();
  void run_posted();

  const Clock& clock_;
  Fd epoll_;
  Fd wake_;
  std::atomic<bool> stopped_ = false;
  std::mutex mutex_;
  std::vector<std::function<void()>> posted_;
  MonotonicTime now_;
  std::uint64_t timers_made_ = 0;
  std::priority_queue<Timer> timers_;
  std::function<bool()> worth_looking_;
  std::function<bool()> rests_;
  std::function<void(const std::string&)> contained_;
  MonotonicTime faults_since_{};
  int faults_ = 0;                 ///< contained within a second
  std::vector<Watcher*> pending_;  ///< of the events being handled; forgotten ones become null
};

}  // namespace hearth::pxe
