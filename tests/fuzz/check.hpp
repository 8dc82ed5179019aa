// An invariant that must hold for every input: libFuzzer takes the abort for a finding.
#pragma once

#include <cstdint>
#include <cstdlib>
#include <string_view>

#include "base/check.hpp"

namespace hearth::fuzz {

inline void check(bool holds) {
  if (!holds) std::abort();
}

/// The product's own invariants likewise: an exit would keep no input.
inline const CheckEnding k_former_ending = set_check_ending([]() noexcept { std::abort(); });

inline std::string_view text_of(const std::uint8_t* data, std::size_t size) {
  return {reinterpret_cast<const char*>(data), size};
}

}  // namespace hearth::fuzz
