#include "pxe/boot/explain.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "base/text.hpp"
#include "pxe/metrics.hpp"
#include "tests/unit/pxe/dhcp/sample_site.hpp"

namespace hearth::pxe {
namespace {

using testing::HasSubstr;
using testing::Not;

TEST(Explain, SaysWhatEachFirmwareWouldGetAndWhy) {
  const std::string text = explain(dhcp::sample_site(), NodeTable(dhcp::sample_site().nodes), dhcp::mac(1));
  EXPECT_THAT(text, HasSubstr("52:54:00:00:00:01 (one) boots the deploy ramdisk, which writes its image to its disk.\n"
                              "why: the site lists it as one, to be deployed (state: deploy)\n"
                              "address: 192.0.2.50, its own\n"));
  EXPECT_THAT(text, HasSubstr("BIOS: undionly.kpxe - iPXE by TFTP, as BIOS\n"));
  EXPECT_THAT(text, HasSubstr("UEFI: snponly.efi"));
  EXPECT_THAT(text, HasSubstr("#!ipxe\n"));
}

TEST(Explain, AMachineWithNothingToDoIsToldWhoWouldBootIt) {
  Site site = dhcp::sample_site();
  site.nodes.front().state = BootState::local;
  EXPECT_THAT(explain(site, NodeTable(site.nodes), dhcp::mac(1)),
              HasSubstr("52:54:00:00:00:01 (one) starts from its own disk.\n"
                        "why: the site lists it as one, with nothing to be done to it (state: local); a conductor "
                        "(hearth node serve --boot) boots it"));
}

TEST(Explain, WhatIsMissingForAWishIsNamed) {
  Site site = dhcp::sample_site();
  site.nodes.front().state = BootState::rescue;
  EXPECT_THAT(
      explain(site, NodeTable(site.nodes), dhcp::mac(1)),
      HasSubstr("waits in its boot loader, which asks again every 30 seconds.\nwhy: the site lists it as one, "
                "to be repaired (state: rescue), but it has no kernel and ramdisk for that (profiles: rescue)"));
}

TEST(Explain, EachNetworksPoolIsNamedWhereAMachineMayAskFromSeveral) {
  Site site = dhcp::sample_site();
  site.nodes.clear();
  site.networks.resize(1);
  const std::string subnet = to_text(site.networks.front().subnet);
  const AddressRange pool = site.networks.front().pools.front();
  const std::string range = cat(to_text(pool.first), "-", to_text(pool.last));
  EXPECT_THAT(explain(site, NodeTable(site.nodes), dhcp::mac(9)), HasSubstr(cat("address: one of the pool: ", range)));
  Network rack = site.networks.front();
  rack.subnet = *parse_subnet("198.51.100.0/24");
  rack.pools.clear();
  site.networks.push_back(rack);
  EXPECT_THAT(explain(site, NodeTable(site.nodes), dhcp::mac(9)),
              HasSubstr(cat("address: one of the pool of the network that it asks from\n  in ", subnet, ": ", range)));
  EXPECT_THAT(explain(site, NodeTable(site.nodes), dhcp::mac(9)),
              HasSubstr("\n  in 198.51.100.0/24: none: 198.51.100.0/24 has no pool\n"));
}

TEST(Explain, AMachineOfNoInventoryIsToldTheRuleForStrangers) {
  Site site = dhcp::sample_site();
  EXPECT_THAT(explain(site, NodeTable(site.nodes), dhcp::mac(9)),
              HasSubstr("52:54:00:00:00:09 starts from its own disk.\nwhy: no machine of the site has this address, "
                        "and for others the site says unknown: local\n"));
  site.unknown = UnknownPolicy::ignore;
  EXPECT_THAT(explain(site, NodeTable(site.nodes), dhcp::mac(9)),
              HasSubstr("52:54:00:00:00:09 gets no answer at all.\nwhy: no machine of the site has this address, and "
                        "for others the site says unknown: ignore\n"));
}

TEST(BootLog, GathersTheEventsOfAMachineAndOfTheAddressThatItHad) {
  const WallTime time{std::chrono::milliseconds(1700000000123)};
  const Ipv4 address = dhcp::ip("192.0.2.100");
  const auto event = [&](const char* protocol, const char* mac, const char* what) {
    return event_line(
        {.protocol = protocol, .client = address, .mac = mac, .what = what, .outcome = "done", .bytes = 2048}, time);
  };
  const std::string log =
      boot_log(boot_events(event("tftp", "", "too-early") + event("dhcp", "52:54:00:00:00:09", "REQUEST") +
                               event("tftp", "", "undionly.kpxe") + "no event\n" +
                               event("dhcp", "52:54:00:00:00:08", "REQUEST") + event("tftp", "", "another's"),
                           {dhcp::mac(9)}));
  EXPECT_THAT(log, HasSubstr("2023-11-14 22:13:20.123 UTC  dhcp  REQUEST: done"));
  EXPECT_THAT(log, HasSubstr("tftp  undionly.kpxe: done, 2.0 KiB in 0.000 s"));
  EXPECT_THAT(log, Not(HasSubstr("too-early")));
  EXPECT_THAT(log, Not(HasSubstr("another's")));
}

}  // namespace
}  // namespace hearth::pxe
