#include "bootstrap/power/all_drivers.hpp"

#include <gtest/gtest.h>
#include <poll.h>

#include "base/net/listening.hpp"
#include "base/text.hpp"

namespace hearth::bootstrap {
namespace {

TEST(AllDriversTest, NoBmcIsAskedForLongerThanTheProcessMayLast) {
  const SystemClock clock;
  const auto curfew = std::make_shared<Curfew>();
  const Drivers drivers = all_drivers("/nowhere", curfew);
  const ListeningSocket mute = listen_on("bmc", "127.0.0.1", 0);
  Node node;
  node.driver = "redfish";
  node.driver_info = {{"redfish_address", cat("http://127.0.0.1:", mute.port)},
                      {"redfish_system_id", "/redfish/v1/Systems/1"},
                      {"redfish_timeout", "600"}};
  const MonotonicTime begun = clock.now();
  curfew->set(begun + std::chrono::milliseconds(300));
  EXPECT_THROW(static_cast<void>(drivers.find("redfish")->state(node)), PowerFault);
  node.driver_info = {{"ipmi_address", "127.0.0.1"}};
  EXPECT_THROW(static_cast<void>(drivers.find("ipmi")->state(node)), PowerFault);
  EXPECT_LT(clock.now() - begun, std::chrono::seconds(20));
}

TEST(AllDriversTest, NoBmcIsAskedWhileAnotherSeedMayServe) {
  const auto curfew = std::make_shared<const Curfew>([] { return true; });
  const ListeningSocket bmc = listen_on("bmc", "127.0.0.1", 0);
  Node node;
  node.driver = "redfish";
  node.driver_info = {{"redfish_address", cat("http://127.0.0.1:", bmc.port)},
                      {"redfish_system_id", "/redfish/v1/Systems/1"}};
  EXPECT_THROW(static_cast<void>(all_drivers("/nowhere", curfew).find("redfish")->state(node)), PowerFault);
  ::pollfd came{bmc.socket.get(), POLLIN, 0};
  EXPECT_EQ(::poll(&came, 1, 0), 0) << "nobody has connected";
}

}  // namespace
}  // namespace hearth::bootstrap
