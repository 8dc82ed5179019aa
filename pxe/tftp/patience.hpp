// When to send again, and when to give up: from the round trips seen, or as the client asked (RFC 2349).
#pragma once

#include <cstdint>
#include <optional>

#include "base/clock.hpp"

namespace hearth::pxe::tftp {

class Patience {
 public:
  /// `unknown`: how long to wait before anything is measured.
  explicit Patience(std::optional<std::uint8_t> timeout_s, Duration unknown = std::chrono::seconds(1))
      : timeout_s_(timeout_s), unknown_(unknown) {}

  /// The client answered `round_trip` after the last sending; nothing when that had been sent more than once (Karn).
  void answered(std::optional<Duration> round_trip);
  /// Another wait has passed in vain. Returns false when it was the last.
  [[nodiscard]] bool waited_in_vain();
  /// How long to wait now; longer after each vain wait.
  [[nodiscard]] Duration wait() const;
  [[nodiscard]] bool is_repeating() const { return vain_ > 0; }

 private:
  std::optional<std::uint8_t> timeout_s_;
  Duration unknown_;
  Duration smoothed_{};  ///< zero = nothing measured yet
  int vain_ = 0;
  bool heard_ = false;
};

}  // namespace hearth::pxe::tftp
