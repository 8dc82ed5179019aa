#include "agent/net/bonding.hpp"

#include <gmock/gmock.h>

#include "tests/unit/agent/net/network_fixture.hpp"

namespace hearth::agent::net {
namespace {

using testing::HasSubstr;

BondOptions options(const std::string& text) {
  return parse_bonding_options({.where = "network_config/0", .name = "bond0", .bonding_options = text});
}

TEST(Bonding, ModeMayBeANumber) {
  EXPECT_EQ(options("mode=4").for_ip_link(), " mode 802.3ad");
  EXPECT_EQ(options("mode=balance-alb").for_netdev(), "Mode=balance-alb\n");
}

TEST(Bonding, NumbersThatStandForWordsAreWordsForNetworkd) {
  EXPECT_EQ(options("fail_over_mac=2 arp_ip_target=192.0.2.1,192.0.2.2 updelay=50").for_netdev(),
            "ARPIPTargets=192.0.2.1 192.0.2.2\nFailOverMACPolicy=follow\nUpDelaySec=50ms\n");
}

TEST(Bonding, PrimaryIsKeptApart) {
  EXPECT_EQ(options("mode=1 primary=em2").primary, "em2");
  EXPECT_EQ(options("mode=1 primary=em2").for_ip_link(), " mode active-backup");
}

TEST(Bonding, OddOptionsAreRefused) {
  EXPECT_EQ(refusal([] { (void)options("miimnon=100"); }),
            "network_config/0: bonding_options: 'miimnon' is no option of the bonding driver");
  EXPECT_THAT(refusal([] { (void)options("mode"); }), HasSubstr("'mode' is not NAME=VALUE"));
  EXPECT_THAT(refusal([] { (void)options("mode=9"); }), HasSubstr("Invalid bond mode '9' for bond0."));
}

TEST(Bonding, ModeAloneCanBeChecked) {
  const Device bond{.where = "w", .name = "b", .bonding_options = "mode=best whatever"};
  EXPECT_THAT(refusal([&bond] { check_bond_mode(bond); }), HasSubstr("Invalid bond mode 'best'"));
}

}  // namespace
}  // namespace hearth::agent::net
