#include "agent/signal/real_world.hpp"

#include "base/byte_order.hpp"
#include "base/sys/random.hpp"

namespace hearth::agent {

double random_fraction() {
  constexpr double steps = 4294967296.0;
  return static_cast<double>(get_le(random_bytes(4), 0, 4)) / steps;
}

}  // namespace hearth::agent
