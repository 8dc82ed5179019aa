// Chance from a seed, the same on every machine: SplitMix64, and no distribution of the C++ library, which each of
// those makes in its own way.
#pragma once

#include <cstdint>
#include <string_view>

#include "base/clock.hpp"

namespace hearth::simulation {

class Random {
 public:
  explicit Random(std::uint64_t seed) : state_(seed) {}
  /// A stream of its own: who draws from it changes nothing for the others.
  [[nodiscard]] static Random of(std::uint64_t seed, std::string_view name, std::uint64_t number = 0) {
    std::uint64_t state = seed * 0x9e3779b97f4a7c15U + number;
    for (const char c : name) state = (state ^ static_cast<unsigned char>(c)) * 0x100000001b3U;
    Random random(state);
    (void)random.next();
    return random;
  }

  std::uint64_t next() {
    std::uint64_t value = (state_ += 0x9e3779b97f4a7c15U);
    value = (value ^ (value >> 30U)) * 0xbf58476d1ce4e5b9U;
    value = (value ^ (value >> 27U)) * 0x94d049bb133111ebU;
    return value ^ (value >> 31U);
  }
  /// 0 to `end` - 1.
  std::uint64_t below(std::uint64_t end) { return next() % end; }
  bool one_in(std::uint64_t count) { return below(count) == 0; }
  bool percent(std::uint64_t chance) { return below(100) < chance; }
  /// In steps of a microsecond.
  Duration between(Duration low, Duration high) {
    const auto steps = static_cast<std::uint64_t>((high - low) / std::chrono::microseconds(1)) + 1;
    return low + std::chrono::microseconds(below(steps));
  }

 private:
  std::uint64_t state_;
};

}  // namespace hearth::simulation
