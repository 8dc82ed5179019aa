// Sizes as the block-device YAML writes them: "8MiB", "1.5 GB", "40G", "512", or a percentage of what is still free.
#pragma once

#include <cstdint>
#include <optional>
#include <string_view>
#include <variant>

namespace hearth::builder {

/// A share of the space that is still free, 0 to 100.
struct Percent {
  double value = 0;
  bool operator==(const Percent&) const = default;
};

/// Bytes, or a percentage.
using SizeSpec = std::variant<std::uint64_t, Percent>;

/// Bytes of "NUMBER[ ]UNIT". TiB GiB MiB KiB count by 1024; TB GB MB KB T G M K by 1000; B or nothing is bytes.
/// Case matters and decimals are allowed, as in the field (so "3G" is 3000000000). Nothing when it is not a size.
[[nodiscard]] std::optional<std::uint64_t> parse_size(std::string_view text);

/// A size, or "NN%" with 0 < NN <= 100.
[[nodiscard]] std::optional<SizeSpec> parse_size_spec(std::string_view text);

}  // namespace hearth::builder
