// When a command that fails is run again. The first failures are repeated at every poll; then the time between two
// attempts doubles, up to twenty polls. New metadata are another matter and are applied at once.
#pragma once

#include <algorithm>
#include <string>

#include "base/clock.hpp"

namespace hearth::agent {

class RetryBrake {
 public:
  /// `poll` is the longest pause between polls.
  RetryBrake(Duration poll, const Clock& clock) : poll_(poll), clock_(clock) {}

  /// How long the command must wait to be run with `metadata`, a fingerprint; zero = run it.
  [[nodiscard]] Duration wait_for(const std::string& metadata) const {
    if (failures_ <= k_free || metadata != metadata_) return Duration::zero();
    return std::max(not_before_ - clock_.now(), Duration::zero());
  }
  void failed(const std::string& metadata) {
    failures_ = metadata == metadata_ ? failures_ + 1 : 1;
    metadata_ = metadata;
    const int doublings = std::clamp(failures_ - k_free, 0, 5);
    not_before_ = clock_.now() + std::min(poll_ * (1 << doublings), poll_ * k_longest);
  }
  void succeeded() { failures_ = 0; }
  [[nodiscard]] int failures() const { return failures_; }

 private:
  static constexpr int k_free = 6;
  static constexpr int k_longest = 20;
  Duration poll_;
  const Clock& clock_;
  int failures_ = 0;
  std::string metadata_;
  MonotonicTime not_before_{};
};

}  // namespace hearth::agent
