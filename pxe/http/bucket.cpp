#include "pxe/http/bucket.hpp"

#include <algorithm>
#include <limits>

namespace hearth::pxe::http {

namespace {
constexpr std::uint64_t k_piece = 16384;
}

std::uint64_t Bucket::allowance(std::uint64_t wanted, MonotonicTime now) {
  if (rate_ == 0) return wanted;
  const auto rate = static_cast<double>(rate_);
  if (!started_) tokens_ = rate;
  if (started_) tokens_ = std::min(rate, tokens_ + rate * std::chrono::duration<double>(now - filled_).count());
  started_ = true;
  filled_ = now;
  return tokens_ < 1 ? 0 : std::min(wanted, static_cast<std::uint64_t>(tokens_));
}

void Bucket::take(std::uint64_t bytes) {
  if (rate_ != 0) tokens_ -= static_cast<double>(bytes);
}

Duration Bucket::wait() const {
  if (rate_ == 0) return Duration::zero();
  const double piece = static_cast<double>(std::min(k_piece, rate_));
  const double seconds = std::max(0.0, (piece - tokens_) / static_cast<double>(rate_));
  return std::chrono::duration_cast<Duration>(std::chrono::duration<double>(seconds)) + std::chrono::milliseconds(1);
}

}  // namespace hearth::pxe::http
