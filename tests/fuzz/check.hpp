// An invariant that must hold for every input: libFuzzer takes the abort for a finding.
#pragma once

#include <cstdint>
#include <cstdlib>
#include <string_view>

namespace hearth::fuzz {

inline void check(bool holds) {
  if (!holds) std::abort();
}

inline std::string_view text_of(const std::uint8_t* data, std::size_t size) {
  return {reinterpret_cast<const char*>(data), size};
}

}  // namespace hearth::fuzz
