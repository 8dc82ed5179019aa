// The DATA packets of one burst, one behind the other as a single UDP_SEGMENT send wants them. A server's transfers
// share one such buffer: it is filled for each send, or ahead of it where nobody else is going to need the room.
#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "pxe/serve/content.hpp"
#include "pxe/tftp/sender.hpp"

namespace hearth::pxe::tftp {

class BurstBuffer {
 public:
  /// Tells one transfer's packets from another's; never given twice.
  [[nodiscard]] std::uint64_t new_owner() { return ++owners_; }

  /// The packets of `burst`; blocks that are there already are not read again. Empty when the content has become
  /// shorter.
  [[nodiscard]] std::span<const char> fill(std::uint64_t owner, const Content& content, std::uint32_t block_size,
                                           const Burst& burst);

  /// Whether the packets of `burst` are there.
  [[nodiscard]] bool holds(std::uint64_t owner, const Burst& burst) const {
    return holder_ == owner && held_.first <= burst.first && burst.first + burst.count <= held_.first + held_.count;
  }

  /// Whether filling ahead pays: it does while one transfer has the buffer for itself.
  [[nodiscard]] bool fills_ahead() const { return fills_ahead_; }
  void fill_ahead(bool yes) { fills_ahead_ = yes; }

 private:
  std::vector<char> bytes_;
  std::uint64_t owners_ = 0;
  std::uint64_t holder_ = 0;  ///< whose packets these are; 0: nobody's
  Burst held_;
  std::size_t size_ = 0;
  bool fills_ahead_ = false;
};

}  // namespace hearth::pxe::tftp
