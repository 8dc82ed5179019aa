// How long to pause between polls: from a minimum, doubling up to a maximum.
#pragma once

#include <algorithm>

namespace hearth::agent {

class Backoff {
 public:
  /// Seconds. Where the minimum is above the maximum, the first pause is the minimum and the rest the maximum.
  Backoff(double minimum, double maximum) : minimum_(minimum), maximum_(maximum), next_(minimum) {}

  /// The pause to make now.
  [[nodiscard]] double take() {
    const double now = next_;
    next_ = std::min(next_ * 2, maximum_);
    return now;
  }
  void reset() { next_ = minimum_; }

 private:
  double minimum_;
  double maximum_;
  double next_;
};

}  // namespace hearth::agent
