#include "pxe/export.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "tests/unit/pxe/dhcp/sample_site.hpp"

namespace hearth::pxe {
namespace {

using testing::HasSubstr;

// Whether the programs take it, and what they then tell machines, is for tests/peers/pxe/export_peer.sh to say; here,
// that nothing is left out.

TEST(Export, DnsmasqGetsRangesHostsAndTheLoaderOfEachFirmware) {
  const std::string text = export_dnsmasq(dhcp::sample_site());
  for (const char* part :
       {"interface=eth0\n", "dhcp-range=set:net0,192.0.2.100,192.0.2.102,255.255.255.0,3600s\n",
        "dhcp-option=tag:net0,option:router,192.0.2.254\n", "dhcp-host=52:54:00:00:00:01,set:install,192.0.2.50,one\n",
        "dhcp-host=52:54:00:00:00:02,set:local,two\n",
        "dhcp-boot=tag:net0,tag:ipxe,http://192.0.2.1/ipxe/${mac:hexhyp}\n",
        "tag:install,tag:bios,undionly.kpxe,,192.0.2.1\n", "tag:local,tag:uefi,shimx64.efi,,192.0.2.1\n"})
    EXPECT_THAT(text, HasSubstr(part));
}

TEST(Export, KeaGetsSubnetsReservationsAndClasses) {
  const std::string text = export_kea(dhcp::sample_site());
  for (const char* part : {R"("subnet": "192.0.2.0/24")", R"({"pool": "192.0.2.100 - 192.0.2.102"})",
                           R"("hw-address": "52:54:00:00:00:01", "ip-address": "192.0.2.50", "hostname": "one", )"
                           R"("client-classes": ["install"])",
                           R"("boot-file-name": "undionly.kpxe")"})
    EXPECT_THAT(text, HasSubstr(part));
}

TEST(Export, ARelaysNetworkIsToldItsOwnServer) {
  Site site = dhcp::sample_site();
  site.networks[1].server = dhcp::ip("198.51.100.1");
  EXPECT_THAT(export_dnsmasq(site), HasSubstr("dhcp-boot=tag:net1,tag:ipxe,http://198.51.100.1/ipxe/"));
  EXPECT_THAT(export_kea(site), HasSubstr("\"boot-file-name\": \"http://198.51.100.1/ipxe/"));
  EXPECT_THAT(export_isc(site), HasSubstr("filename \"http://198.51.100.1/ipxe/"));
}

TEST(Export, WhoGetsNoAnswerFromUsGetsNoneThere) {
  Site site = dhcp::sample_site();
  site.unknown = UnknownPolicy::ignore;
  EXPECT_THAT(export_dnsmasq(site), HasSubstr("dhcp-ignore=tag:!known\n"));
  EXPECT_THAT(export_kea(site), HasSubstr("{\"name\": \"DROP\", \"test\": \"member('UNKNOWN')\"}"));
  EXPECT_THAT(export_isc(site), HasSubstr("deny unknown-clients;"));
}

TEST(Export, IscGetsSubnetsHostsAndConditions) {
  const std::string text = export_isc(dhcp::sample_site());
  for (const char* part :
       {"subnet 192.0.2.0 netmask 255.255.255.0 {\n  range 192.0.2.100 192.0.2.102;\n",
        "host one { hardware ethernet 52:54:00:00:00:01; fixed-address 192.0.2.50; ", "filename \"undionly.kpxe\";"})
    EXPECT_THAT(text, HasSubstr(part));
}

}  // namespace
}  // namespace hearth::pxe
