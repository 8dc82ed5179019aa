// Cases made up from numbers, for what must hold of any input. HEARTH_CASES=1000 tries more than a usual run does,
// HEARTH_FIRST_CASE=N begins with another one; what fails says the one command that repeats it.
#pragma once

#include <gtest/gtest.h>

#include <cstdlib>
#include <random>

#include "base/text.hpp"

namespace hearth::fakes {

constexpr std::uint64_t k_usual_cases = 50;

class Chance {
 public:
  explicit Chance(std::uint64_t seed) : random_(seed) {}
  /// 0 to `most` - 1.
  [[nodiscard]] std::size_t below(std::size_t most) { return most == 0 ? 0 : random_() % most; }
  [[nodiscard]] bool percent(std::size_t chance) { return below(100) < chance; }
  template <class Items>
  void shuffle(Items& items) {
    for (std::size_t at = items.size(); at > 1; --at) std::swap(items[at - 1], items[below(at)]);
  }

 private:
  std::mt19937_64 random_;  // the same numbers with every library, unlike its distributions
};

/// `body(chance)` for each case, until one fails.
template <class Body>
void for_each_case(const Body& body) {
  const auto number = [](const char* name, std::uint64_t usual) {
    const char* const text = std::getenv(name);
    return text == nullptr ? usual : parse_number(text).value_or(usual);
  };
  const std::uint64_t first = number("HEARTH_FIRST_CASE", 1);
  const std::uint64_t end = first + number("HEARTH_CASES", k_usual_cases);
  const testing::TestInfo& test = *testing::UnitTest::GetInstance()->current_test_info();
  for (std::uint64_t seed = first; seed < end && !testing::Test::HasFailure(); ++seed) {
    SCOPED_TRACE(cat("repeat: HEARTH_FIRST_CASE=", seed, " HEARTH_CASES=1 ctest --preset dev -L unit -R '",
                     test.test_suite_name(), ".", test.name(), "'"));
    Chance chance(seed);
    body(chance);
  }
}

}  // namespace hearth::fakes
