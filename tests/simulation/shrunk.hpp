// Which of a world's faults it takes for a play to fail.
#pragma once

#include <algorithm>
#include <functional>
#include <utility>
#include <vector>

#include "simulation/fault.hpp"

namespace hearth::simulation {

/// The fewest of `faults` for which `fails` still holds: halves, quarters, … are left out, then single ones.
[[nodiscard]] inline std::vector<Fault> shrunk(std::vector<Fault> faults,
                                               const std::function<bool(const std::vector<Fault>&)>& fails) {
  for (std::size_t part = std::max<std::size_t>(1, faults.size() / 2);; part = std::max<std::size_t>(1, part / 2)) {
    bool is_fewer = false;
    for (std::size_t at = 0; at < faults.size();) {
      std::vector<Fault> fewer = faults;
      const auto first = fewer.begin() + static_cast<std::ptrdiff_t>(at);
      fewer.erase(first, fewer.begin() + static_cast<std::ptrdiff_t>(std::min(at + part, fewer.size())));
      if (fails(fewer)) {
        faults = std::move(fewer);
        is_fewer = true;
      } else {
        at += part;
      }
    }
    if (part == 1 && !is_fewer) return faults;
  }
}

}  // namespace hearth::simulation
