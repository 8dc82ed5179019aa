#include "base/clock.hpp"

#include <ctime>

namespace hearth {

Duration thread_time() {
  timespec taken{};
  ::clock_gettime(CLOCK_THREAD_CPUTIME_ID, &taken);
  return std::chrono::seconds(taken.tv_sec) + std::chrono::nanoseconds(taken.tv_nsec);
}

MonotonicTime time_since_boot() {
  timespec now{};
  ::clock_gettime(CLOCK_BOOTTIME, &now);
  return MonotonicTime(std::chrono::seconds(now.tv_sec) + std::chrono::nanoseconds(now.tv_nsec));
}

MonotonicTime SystemClock::now() const { return std::chrono::steady_clock::now(); }

WallTime SystemClock::wall() const { return std::chrono::system_clock::now(); }

void SystemClock::sleep(Duration duration) {
  if (duration <= Duration::zero()) return;
  const auto seconds = std::chrono::floor<std::chrono::seconds>(duration);
  const timespec spec{static_cast<time_t>(seconds.count()), static_cast<long>((duration - seconds).count())};
  ::nanosleep(&spec, nullptr);
}

}  // namespace hearth
