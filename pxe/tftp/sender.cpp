#include "pxe/tftp/sender.hpp"

#include <algorithm>

#include "base/check.hpp"

namespace hearth::pxe::tftp {

Burst Sender::burst() {
  check(acknowledged_ < blocks_, "what is sent is of the file", "acknowledged", acknowledged_, "blocks", blocks_);
  const Burst burst{acknowledged_ + 1, std::min<std::uint64_t>(window_, blocks_ - acknowledged_)};
  sent_ = acknowledged_ + burst.count;
  return burst;
}

Burst Sender::expected(std::uint64_t count) const { return {sent_ + 1, std::min(count, blocks_ - sent_)}; }

Burst Sender::again() { return awaits_oack_ || finished() ? Burst{} : burst(); }

Burst Sender::acknowledged(std::uint16_t block) {
  if (awaits_oack_) {
    if (block != 0) return {};
    awaits_oack_ = false;
    return burst();
  }
  const std::uint64_t ahead = static_cast<std::uint16_t>(block - static_cast<std::uint16_t>(acknowledged_));
  if (ahead > sent_ - acknowledged_ || finished()) return {};
  if (ahead == 0) {
    if (window_ == 1 || windows_until_repeat_ > 0) return {};
    windows_until_repeat_ = 3;
    return burst();
  }
  windows_until_repeat_ = std::max(0, windows_until_repeat_ - 1);
  acknowledged_ += ahead;
  check(acknowledged_ <= sent_ && sent_ <= blocks_, "no more is acknowledged than was sent", "acknowledged",
        acknowledged_, "sent", sent_, "blocks", blocks_);
  return finished() ? Burst{} : burst();
}

}  // namespace hearth::pxe::tftp
