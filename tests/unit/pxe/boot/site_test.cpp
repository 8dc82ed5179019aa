#include "pxe/boot/site.hpp"

#include <gtest/gtest.h>

#include "tests/unit/pxe/dhcp/sample_site.hpp"

namespace hearth::pxe {
namespace {

TEST(Site, KnowsItsNetworksAndTheAddressesThatAreNoMachines) {
  const Site site = dhcp::sample_site();
  EXPECT_EQ(site.network_of(dhcp::ip("198.51.100.7")), &site.networks[1]);
  EXPECT_EQ(site.network_of(dhcp::ip("203.0.113.7")), nullptr);
  for (const char* address : {"192.0.2.1", "192.0.2.0", "192.0.2.255", "198.51.100.255"})
    EXPECT_TRUE(site.is_own(dhcp::ip(address))) << address;
  EXPECT_FALSE(site.is_own(dhcp::ip("192.0.2.100")));
}

TEST(Site, AReloadThatChangesTheModeIsRefused) {
  const Site now = dhcp::sample_site();
  Site next = now;
  next.allowed_servers = {dhcp::ip("192.0.2.9")};
  EXPECT_EQ(reload_fault(now, next), "");
  next.mode = Mode::proxy;
  EXPECT_NE(reload_fault(now, next).find("\"mode\" can't change"), std::string::npos);
  EXPECT_NE(reload_fault(next, now), "");
}

}  // namespace
}  // namespace hearth::pxe
