#include "agent/signal/real_world.hpp"

#include "base/sys/random.hpp"

namespace hearth::agent {

double random_fraction() {
  constexpr double steps = 4294967296.0;
  return static_cast<double>(std::stoul(random_hex(4), nullptr, 16)) / steps;
}

}  // namespace hearth::agent
