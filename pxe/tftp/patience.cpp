#include "pxe/tftp/patience.hpp"

#include <algorithm>

namespace hearth::pxe::tftp {

namespace {
using std::chrono::milliseconds;
using std::chrono::seconds;
constexpr Duration k_longest_first = seconds(1);
constexpr Duration k_least = milliseconds(100);
constexpr Duration k_most = seconds(8);
constexpr int k_tries = 7;
/// Who has never answered may be a forged address: it gets little (no amplification).
constexpr int k_tries_unheard = 4;
}  // namespace

void Patience::answered(std::optional<Duration> round_trip) {
  vain_ = 0;
  heard_ = true;
  if (!round_trip) return;
  smoothed_ = smoothed_ == Duration::zero() ? *round_trip : (smoothed_ * 7 + *round_trip) / 8;
}

bool Patience::waited_in_vain() { return ++vain_ < (heard_ ? k_tries : k_tries_unheard); }

Duration Patience::wait() const {
  // The client repeats its acknowledgement after that much silence, too: at the same pace both would go on for ever,
  // where it ignores copies (atftp). So it gets its turn from the second wait on.
  if (timeout_s_) return seconds(*timeout_s_) + vain_ * milliseconds(500) * *timeout_s_;
  const Duration first =
      smoothed_ == Duration::zero() ? unknown_ : std::clamp<Duration>(smoothed_ * 4, k_least, k_longest_first);
  return std::min(first * (1 << vain_), k_most);
}

}  // namespace hearth::pxe::tftp
