// The calls of the C library that a simulated world must not get from the real one: getrandom(2), the clocks, sync(2).
// While a world lives in a thread, the program's own take their place there (calls.cpp), so that whatever reads a
// clock or draws a number past our seams reads the world's.
#pragma once

#include <cstdint>
#include <functional>

#include "base/clock.hpp"
#include "simulation/random.hpp"

namespace hearth::simulation {

/// What this thread's calls get, from when it is made to when it goes. One at a time.
class Calls {
 public:
  Calls(const Clock& clock, std::uint64_t seed);
  Calls(const Calls&) = delete;
  Calls& operator=(const Calls&) = delete;
  ~Calls();

  const Clock& clock_;
  Random random_;
};

}  // namespace hearth::simulation
