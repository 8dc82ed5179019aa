#include "bootstrap/power/driver.hpp"

#include <gtest/gtest.h>

#include "bootstrap/power/plain_drivers.hpp"

namespace hearth::bootstrap {
namespace {

TEST(Driver, actionsHaveIronicsNames) {
  for (const PowerAction action :
       {PowerAction::on, PowerAction::off, PowerAction::soft_off, PowerAction::reboot, PowerAction::soft_reboot}) {
    EXPECT_EQ(parse_power_action(name(action)), action);
  }
  EXPECT_EQ(name(PowerAction::reboot), "rebooting");
  EXPECT_FALSE(parse_power_action("explode"));
}

TEST(Driver, driversAreFoundByName) {
  Drivers drivers;
  drivers.add("manual-management", std::make_unique<ManualDriver>());
  EXPECT_NE(drivers.find("manual-management"), nullptr);
  EXPECT_EQ(drivers.find("ipmi"), nullptr);
  EXPECT_EQ(drivers.names(), std::vector<std::string>{"manual-management"});
}

}  // namespace
}  // namespace hearth::bootstrap
