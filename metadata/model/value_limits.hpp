// How large and how deep a value may get: each line of a template can double what the line before it made.
#pragma once

#include <cstdint>
#include <string_view>

#include "metadata/model/value.hpp"

namespace hearth::metadata {

/// No value, written out, may be larger.
inline constexpr std::uint64_t k_largest_value = 16ULL << 20U;
/// Throws ValueError where `bytes` are more than that; `what` is the subject.
void require_size(std::uint64_t bytes, std::string_view what, const Mark& mark);

/// No expression's value has more lists and maps inside each other: each can put one more around what another gave.
inline constexpr std::uint32_t k_deepest_value = 256;
/// Throws ValueError where it has.
void require_depth(const Value& value, std::string_view what, const Mark& mark);

}  // namespace hearth::metadata
