// What a run is measured by: for people who want to know where their site is weak.
#pragma once

#include <cstdint>
#include <map>
#include <optional>
#include <set>
#include <string>
#include <vector>

#include "base/clock.hpp"
#include "simulation/fault.hpp"

namespace hearth::simulation {

struct MachineTally {
  std::optional<Duration> up{};  ///< since the beginning, until its system ran the first time
  std::uint64_t retries = 0;     ///< of the conductor
  std::uint64_t failures = 0;    ///< after which a person had to act
};

/// From the beginning of a fault until all was well again, shared with what else had begun when that was seen; 0:
/// nobody saw anything of it.
struct Recovery {
  FaultKind kind = FaultKind::kill_conductor;
  Duration took{};
};

struct Tally {
  std::uint64_t boots = 0;    ///< over the network
  std::uint64_t waited = 0;   ///< of them, those whose first question was not answered
  std::uint64_t no_room = 0;  ///< those that were refused an address, since none was free
  Duration waiting{};
  std::uint64_t writes = 0;  ///< of images, that have come
  Duration writing{};
  Duration shared{};               ///< of it, since others had the link, too
  std::uint64_t writers = 0;       ///< just now: at a run's end, those whose image has not come
  std::uint64_t most_writers = 0;  ///< at a time
  std::optional<Duration> converged{};
  std::vector<Recovery> recoveries;
  std::map<std::string, MachineTally> machines;
  std::set<std::string> refused;  ///< who asks just now, and was told that no address is free
};

}  // namespace hearth::simulation
