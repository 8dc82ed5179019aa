// What goes wrong in a site over years, and when. Of the quiet between two faults an hour at most is played: by then
// all is as it was.
#pragma once

#include <string_view>

#include "simulation/fault.hpp"

namespace hearth::simulation {

enum class Level : std::uint8_t { none, rare, often, storm };

/// Nothing for another word.
[[nodiscard]] std::optional<Level> parse_level(std::string_view word);

struct Life {
  std::vector<Fault> faults;
  Duration trouble{};  ///< until the last of them has ended
};

/// `rare` is what a well-kept site sees; `often` twenty times as much; `storm` has no years: all of it falls into the
/// first quarter of an hour.
[[nodiscard]] Life life_of(std::uint64_t seed, std::size_t machines, Level level, double years);

}  // namespace hearth::simulation
