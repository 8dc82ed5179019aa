// A played site as a picture: time from left to right, a row for the conductor and for each machine, what each was
// doing in colours, faults and broken rules as lines.
#pragma once

#include <string>

#include "simulation/world.hpp"

namespace hearth::simulation {

/// SVG. Of a world that kept its lines.
[[nodiscard]] std::string timeline(const Played& played);

}  // namespace hearth::simulation
