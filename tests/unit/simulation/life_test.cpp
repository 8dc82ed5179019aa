#include "simulation/life.hpp"

#include <gtest/gtest.h>

namespace hearth::simulation {
namespace {

using std::chrono::hours;

TEST(Life, OftenIsTwentyTimesAsMuchAsRare) {
  std::size_t rare = 0;
  std::size_t often = 0;
  for (std::uint64_t seed = 1; seed <= 20; ++seed) {
    rare += life_of(seed, 10, Level::rare, 1).faults.size();
    often += life_of(seed, 10, Level::often, 1).faults.size();
  }
  EXPECT_NEAR(static_cast<double>(often) / static_cast<double>(rare), 20, 0.5);
  EXPECT_TRUE(life_of(1, 10, Level::none, 1).faults.empty());
}

TEST(Life, OfTheQuietBetweenFaultsAnHourIsLeft) {
  const Life life = life_of(3, 20, Level::rare, 2);
  ASSERT_GT(life.faults.size(), 50U);
  Duration ended{};
  for (const Fault& fault : life.faults) {
    EXPECT_LE(fault.begin, ended + hours(1) + std::chrono::seconds(1));
    ended = std::max(ended, fault.begin + fault.length);
  }
  EXPECT_EQ(life.trouble, ended);
  EXPECT_LT(life.trouble, hours(2) * static_cast<int>(life.faults.size()));
}

TEST(Life, IsTheSameForTheSameNumber) {
  EXPECT_EQ(life_of(5, 7, Level::often, 1).faults, life_of(5, 7, Level::often, 1).faults);
  EXPECT_NE(life_of(5, 7, Level::often, 1).faults, life_of(6, 7, Level::often, 1).faults);
  EXPECT_EQ(life_of(5, 7, Level::storm, 1).faults, faults_of(5, 7, std::chrono::minutes(15)));
}

}  // namespace
}  // namespace hearth::simulation
