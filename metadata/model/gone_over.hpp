// How much comparing, hashing and looking up values went over: one call may take a megabyte or ten thousand members.
// Whoever has a budget takes what came to be since it looked last.
#pragma once

#include <cstddef>
#include <cstdint>
#include <string_view>

namespace hearth::metadata {

/// In this thread so far: bytes of texts, each value that was looked at counting as some more.
[[nodiscard]] std::uint64_t values_gone_over();

/// std::string::find() and rfind() in time that grows with both texts, not with their product.
[[nodiscard]] std::size_t find_part(std::string_view text, std::string_view part, std::size_t from = 0);
[[nodiscard]] std::size_t find_last_part(std::string_view text, std::string_view part);

}  // namespace hearth::metadata
