#include "agent/signal/real_world.hpp"

#include "base/sys/random.hpp"

namespace hearth::agent {

std::int64_t seconds_of(WallTime time) {
  return std::chrono::duration_cast<std::chrono::seconds>(time.time_since_epoch()).count();
}

double random_fraction() {
  constexpr double steps = 4294967296.0;
  return static_cast<double>(std::stoul(random_hex(4), nullptr, 16)) / steps;
}

}  // namespace hearth::agent
