#include "pxe/boot/site.hpp"

#include <gtest/gtest.h>

#include "tests/unit/pxe/dhcp/sample_site.hpp"

namespace hearth::pxe {
namespace {

TEST(Site, FindsANodeByEverythingThatIdentifiesIt) {
  const Site site = dhcp::sample_site();
  EXPECT_EQ(site.find(dhcp::mac(1))->name, "one");
  EXPECT_EQ(site.find_uuid("12345678-1234-1234-1234-123456789ABC")->name, "one");
  EXPECT_EQ(site.find_circuit("port7")->name, "two");
  EXPECT_EQ(site.find_address(dhcp::ip("192.0.2.50"))->name, "one");
  EXPECT_EQ(site.find(dhcp::mac(9)), nullptr);
  EXPECT_EQ(site.find_uuid(""), nullptr);
  EXPECT_EQ(site.find_serial(""), nullptr);
  EXPECT_EQ(site.find_circuit(""), nullptr);
}

TEST(Site, ReservesTheAddressesOfNodesAndItsOwn) {
  const std::set<Ipv4> reserved = dhcp::sample_site().reserved();
  for (const char* address : {"192.0.2.50", "192.0.2.1", "192.0.2.0", "192.0.2.255"})
    EXPECT_EQ(reserved.count(dhcp::ip(address)), 1U) << address;
  EXPECT_EQ(reserved.count(dhcp::ip("192.0.2.100")), 0U);
}

TEST(BootState, IronicsWordsAreUnderstood) {
  EXPECT_EQ(parse_state("wait call-back"), BootState::deploy);
  EXPECT_EQ(parse_state("active"), BootState::local);
  EXPECT_EQ(parse_state("inspect wait"), BootState::inspect);
  EXPECT_EQ(parse_state("rescue wait"), BootState::rescue);
  EXPECT_EQ(parse_state("dancing"), std::nullopt);
  for (const BootState state :
       {BootState::local, BootState::deploy, BootState::inspect, BootState::rescue, BootState::hold})
    EXPECT_EQ(parse_state(state_name(state)), state);
}

}  // namespace
}  // namespace hearth::pxe
