#include "agent/deploy/surroundings.hpp"

#include <gtest/gtest.h>

#include <thread>

namespace hearth::agent::deploy {
namespace {

TEST(Surroundings, WhoeverIsWokenBeforeHeWaitsDoesNotWait) {
  const SystemClock clock;
  RealSurroundings surroundings(clock);
  surroundings.wake();
  EXPECT_FALSE(surroundings.wait(std::chrono::hours(1)));
  EXPECT_TRUE(surroundings.wait(std::chrono::milliseconds(1)));
}

TEST(Surroundings, AThreadWakesWhoeverWaits) {
  const SystemClock clock;
  RealSurroundings surroundings(clock);
  const std::jthread other([&] { surroundings.wake(); });
  EXPECT_FALSE(surroundings.wait(std::chrono::hours(1)));
}

TEST(Surroundings, TheAddressTowardsThisMachineIsItsOwn) {
  const SystemClock clock;
  RealSurroundings surroundings(clock);
  EXPECT_EQ(surroundings.address_towards(*parse_url("http://127.0.0.1:6385")), "127.0.0.1");
  EXPECT_EQ(surroundings.address_towards(*parse_url("http://[::1]:6385")), "[::1]");
}

TEST(Surroundings, OrdersAreAnsweredUntilThePortGoes) {
  const SystemClock clock;
  RealSurroundings surroundings(clock);
  const auto answer = [](const ServedRequest&) { return ServedResponse{}; };
  std::shared_ptr<void> port = surroundings.listen(0, answer, nullptr, {});
  EXPECT_NE(port, nullptr);
  port.reset();
}

}  // namespace
}  // namespace hearth::agent::deploy
