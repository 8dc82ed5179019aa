// Budget: how many lines or events strangers can cause, all of them together: a bucket that fills again with time.
#pragma once

#include <algorithm>
#include <cstdint>
#include <utility>

#include "base/clock.hpp"

namespace hearth::bootstrap {

class Budget {
 public:
  explicit Budget(double most = 60, Duration refill = std::chrono::minutes(10))
      : most_(most), left_(most), refill_(refill) {}

  /// Whether one more may be told.
  [[nodiscard]] bool take(MonotonicTime now) {
    if (last_ != MonotonicTime{}) {
      const double part = std::chrono::duration<double>(now - last_) / std::chrono::duration<double>(refill_);
      left_ = std::min(most_, left_ + part * most_);
    }
    last_ = now;
    if (left_ < 1) {
      ++untold_;
      return false;
    }
    --left_;
    return true;
  }
  /// How many were not told since this was asked last.
  [[nodiscard]] std::uint64_t untold() { return std::exchange(untold_, 0); }

 private:
  double most_;
  double left_;
  Duration refill_;
  MonotonicTime last_{};
  std::uint64_t untold_ = 0;
};

}  // namespace hearth::bootstrap
