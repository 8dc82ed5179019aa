// A token bucket: so many bytes a second, with a burst of one second. Pure: time comes in.
#pragma once

#include <cstdint>

#include "base/clock.hpp"

namespace hearth::pxe::http {

class Bucket {
 public:
  /// 0 bytes a second: without limit.
  explicit Bucket(std::uint64_t bytes_a_second) : rate_(bytes_a_second) {}

  /// How many of `wanted` bytes may go now.
  [[nodiscard]] std::uint64_t allowance(std::uint64_t wanted, MonotonicTime now);
  void take(std::uint64_t bytes);
  /// When a good piece may go again.
  [[nodiscard]] Duration wait() const;

 private:
  std::uint64_t rate_;
  double tokens_ = 0;
  MonotonicTime filled_{};
  bool started_ = false;
};

}  // namespace hearth::pxe::http
