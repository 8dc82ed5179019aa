// Time as a seam: code that waits or stamps takes a Clock, so that tests move time by hand (tests/fakes/manual_clock).
// Deadlines, not timeouts, cross function borders: a callee can't restart the time that its caller has left.
#pragma once

#include <algorithm>
#include <chrono>
#include <cstdint>
#include <limits>

namespace hearth {

using Duration = std::chrono::nanoseconds;
using MonotonicTime = std::chrono::time_point<std::chrono::steady_clock, Duration>;
using WallTime = std::chrono::time_point<std::chrono::system_clock, Duration>;

/// Seconds since 1970.
[[nodiscard]] constexpr std::int64_t unix_seconds(WallTime time) {
  return std::chrono::duration_cast<std::chrono::seconds>(time.time_since_epoch()).count();
}
[[nodiscard]] constexpr std::int64_t unix_microseconds(WallTime time) {
  return std::chrono::duration_cast<std::chrono::microseconds>(time.time_since_epoch()).count();
}

[[nodiscard]] constexpr double seconds_in(Duration duration) { return std::chrono::duration<double>(duration).count(); }
[[nodiscard]] constexpr Duration duration_of(double seconds) {
  return std::chrono::duration_cast<Duration>(std::chrono::duration<double>(seconds));
}

/// Since the machine was started, also while it slept: what was promised for a time has ended then, too.
[[nodiscard]] MonotonicTime time_since_boot();

/// Processor time that this thread has taken, since it began: a limit on work by it holds on a busy machine, too.
[[nodiscard]] Duration thread_time();

class Clock {
 public:
  virtual ~Clock() = default;
  [[nodiscard]] virtual MonotonicTime now() const = 0;
  [[nodiscard]] virtual WallTime wall() const = 0;
  /// Returns early when a signal arrives.
  virtual void sleep(Duration duration) = 0;
};

class SystemClock final : public Clock {
 public:
  [[nodiscard]] MonotonicTime now() const override;
  [[nodiscard]] WallTime wall() const override;
  void sleep(Duration duration) override;
};

class Deadline {
 public:
  [[nodiscard]] static Deadline never() { return Deadline(MonotonicTime::max()); }
  /// A duration that leads beyond the end of time is never.
  [[nodiscard]] static Deadline after(Duration duration, const Clock& clock) {
    const MonotonicTime now = clock.now();
    return duration >= MonotonicTime::max() - now ? never() : Deadline(now + duration);
  }
  [[nodiscard]] static Deadline earlier(Deadline one, Deadline other) { return one.at_ < other.at_ ? one : other; }
  explicit Deadline(MonotonicTime at) : at_(at) {}

  [[nodiscard]] bool is_never() const { return at_ == MonotonicTime::max(); }
  [[nodiscard]] bool passed(MonotonicTime now) const { return now >= at_; }
  /// Milliseconds for poll(2): -1 for never, 0 when passed, rounded up.
  [[nodiscard]] int poll_timeout(MonotonicTime now) const {
    if (is_never()) return -1;
    if (passed(now)) return 0;
    const auto left = std::chrono::ceil<std::chrono::milliseconds>(at_ - now).count();
    return static_cast<int>(std::min<long long>(left, std::numeric_limits<int>::max()));
  }

 private:
  MonotonicTime at_;
};

}  // namespace hearth
