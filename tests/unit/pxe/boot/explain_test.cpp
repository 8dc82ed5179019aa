#include "pxe/boot/explain.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "pxe/metrics.hpp"
#include "tests/unit/pxe/dhcp/sample_site.hpp"

namespace hearth::pxe {
namespace {

using testing::HasSubstr;
using testing::Not;

TEST(Explain, SaysWhatEachFirmwareWouldGetAndWhy) {
  const std::string text = explain(dhcp::sample_site(), NodeTable(dhcp::sample_site().nodes), dhcp::mac(1));
  EXPECT_THAT(text, HasSubstr("52:54:00:00:00:01: node one is in state deploy\naddress: 192.0.2.50, its own\n"));
  EXPECT_THAT(text, HasSubstr("BIOS: undionly.kpxe - iPXE by TFTP, as BIOS\n"));
  EXPECT_THAT(text, HasSubstr("UEFI: snponly.efi"));
  EXPECT_THAT(text, HasSubstr("#!ipxe\n"));
}

TEST(Explain, AnIgnoredMachineGetsNothing) {
  Site site = dhcp::sample_site();
  site.unknown = UnknownPolicy::ignore;
  EXPECT_THAT(explain(site, NodeTable(site.nodes), dhcp::mac(9)), HasSubstr("no answer at all"));
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
  EXPECT_THAT(log, HasSubstr("2023-11-14 22:13:20.123  dhcp  REQUEST: done"));
  EXPECT_THAT(log, HasSubstr("tftp  undionly.kpxe: done, 2.0 KiB in 0.000 s"));
  EXPECT_THAT(log, Not(HasSubstr("too-early")));
  EXPECT_THAT(log, Not(HasSubstr("another's")));
}

}  // namespace
}  // namespace hearth::pxe
