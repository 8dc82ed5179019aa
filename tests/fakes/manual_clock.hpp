// A Clock that moves only when told to, or when someone sleeps.
#pragma once

#include "base/clock.hpp"

namespace hearth::fakes {

class ManualClock final : public Clock {
 public:
  [[nodiscard]] MonotonicTime now() const override { return now_; }
  [[nodiscard]] WallTime wall() const override { return WallTime(now_.time_since_epoch() + ahead_); }
  void sleep(Duration duration) override { now_ += duration; }
  void advance(Duration duration) { now_ += duration; }
  /// Somebody sets the time of day.
  void set_ahead(Duration duration) { ahead_ += duration; }

 private:
  MonotonicTime now_{std::chrono::hours(1)};
  Duration ahead_{0};
};

}  // namespace hearth::fakes
