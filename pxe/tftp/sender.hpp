// Which blocks to send next: the sliding window of RFC 7440, of which RFC 1350's lock-step is the window of one. Pure;
// blocks are counted from 1 without end, only the wire has 16 bits of them.
#pragma once

#include <cstdint>

namespace hearth::pxe::tftp {

/// Blocks to be sent now; count 0 = none.
struct Burst {
  std::uint64_t first = 0;
  std::uint64_t count = 0;
  bool operator==(const Burst&) const = default;
};

class Sender {
 public:
  /// `blocks` with the short or empty last one. With an OACK the client has to acknowledge that first, as block 0.
  Sender(std::uint64_t blocks, std::uint32_t window, bool with_oack)
      : blocks_(blocks), window_(window), awaits_oack_(with_oack) {}

  /// What to send at the beginning, and again after a timeout. With awaits_oack() that is the OACK instead.
  [[nodiscard]] Burst again();
  /// An ACK came. A duplicate is answered with nothing (no sorcerer's apprentice); in a window of more than one block
  /// it may mean that the window's first block was lost, so that one is answered with the window, but at most one in
  /// three windows: copies can't breed copies.
  [[nodiscard]] Burst acknowledged(std::uint16_t block);

  /// At most `count` of the blocks that come next when all that has been sent arrives.
  [[nodiscard]] Burst expected(std::uint64_t count) const;

  [[nodiscard]] bool awaits_oack() const { return awaits_oack_; }
  [[nodiscard]] bool finished() const { return acknowledged_ == blocks_; }
  [[nodiscard]] std::uint64_t acknowledged_blocks() const { return acknowledged_; }

 private:
  Burst burst();

  std::uint64_t blocks_;
  std::uint32_t window_;
  bool awaits_oack_;
  std::uint64_t acknowledged_ = 0;
  std::uint64_t sent_ = 0;
  int windows_until_repeat_ = 0;
};

}  // namespace hearth::pxe::tftp
