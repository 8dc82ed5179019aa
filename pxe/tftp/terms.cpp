#include "pxe/tftp/terms.hpp"

#include <algorithm>

#include "base/text.hpp"

namespace hearth::pxe::tftp {

namespace {

std::optional<std::uint64_t> number_in(const std::string& text, std::uint64_t least, std::uint64_t most) {
  const std::optional<std::uint64_t> number = parse_number(text);
  if (!number || *number < least || *number > most) return std::nullopt;
  return number;
}

/// How many blocks a receiver surely takes in one go. Besides the bytes, the kernel charges its socket buffer (by
/// default 212992 bytes) with some 1 KiB of bookkeeping a packet.
std::uint32_t safe_window(std::uint32_t block_size, const Limits& limits) {
  constexpr std::uint32_t overhead = 1024;
  constexpr std::uint32_t receiver = 160 * 1024;
  const std::uint32_t blocks = std::min(limits.window_bytes / block_size, receiver / (block_size + overhead));
  return std::max(1U, blocks);
}

}  // namespace

Terms negotiate(const Options& asked, std::uint64_t size, const Limits& limits) {
  Terms terms;
  std::uint32_t window_asked = 0;
  for (const auto& [name, value] : asked) {
    if (name == "blksize") {
      const auto number = number_in(value, 8, 65535);
      if (!number) continue;
      terms.block_size = std::min(static_cast<std::uint32_t>(*number), limits.block_size);
      terms.accepted.emplace_back(name, std::to_string(terms.block_size));
    } else if (name == "timeout") {
      const auto number = number_in(value, 1, 255);
      if (!number) continue;
      terms.timeout_s = static_cast<std::uint8_t>(*number);
      terms.accepted.emplace_back(name, value);
    } else if (name == "tsize") {
      if (parse_number(value)) terms.accepted.emplace_back(name, std::to_string(size));
    } else if (name == "windowsize") {
      window_asked = static_cast<std::uint32_t>(number_in(value, 1, 65535).value_or(0));
    }
  }
  if (window_asked == 0) return terms;
  terms.window = std::min(window_asked, safe_window(terms.block_size, limits));  // known only with the block size
  terms.accepted.emplace_back("windowsize", std::to_string(terms.window));
  return terms;
}

}  // namespace hearth::pxe::tftp
