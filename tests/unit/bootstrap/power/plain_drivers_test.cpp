#include "bootstrap/power/plain_drivers.hpp"

#include <gtest/gtest.h>

namespace hearth::bootstrap {
namespace {

TEST(ManualDriver, touchesNothingAndWantsAPort) {
  ManualDriver driver;
  Node node;
  EXPECT_TRUE(driver.by_hand());
  EXPECT_EQ(driver.missing(node).size(), 1U);
  node.ports = {new_port("52:54:00:00:00:01", 1)};
  EXPECT_TRUE(driver.missing(node).empty());
  node.power = Power::on;
  driver.set(node, PowerAction::off);
  EXPECT_EQ(driver.state(node), Power::on);
}

TEST(FakeDriver, machinesObeyAndKeepTheStateOfTheDaemonBefore) {
  FakeDriver driver;
  Node node;
  node.uuid = "u";
  EXPECT_EQ(driver.state(node), Power::off);
  driver.set(node, PowerAction::on);
  EXPECT_EQ(driver.state(node), Power::on);
  driver.set(node, PowerAction::soft_off);
  EXPECT_EQ(driver.state(node), Power::off);
  Node other;
  other.uuid = "v";
  other.power = Power::on;
  EXPECT_EQ(driver.state(other), Power::on);
}

TEST(FakeDriver, troubleCanBeAskedFor) {
  FakeDriver driver;
  Node node;
  node.driver_info["fake_fault"] = "unreachable";
  try {
    static_cast<void>(driver.state(node));
    FAIL();
  } catch (const PowerFault& fault) {
    EXPECT_TRUE(fault.passing());
  }
  node.driver_info["fake_fault"] = "refused";
  try {
    driver.set(node, PowerAction::on);
    FAIL();
  } catch (const PowerFault& fault) {
    EXPECT_FALSE(fault.passing());
  }
  node.driver_info["fake_fault"] = "deaf";
  driver.set(node, PowerAction::on);
  EXPECT_EQ(driver.state(node), Power::off);
}

}  // namespace
}  // namespace hearth::bootstrap
