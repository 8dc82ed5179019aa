#include "pxe/export.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "tests/unit/pxe/dhcp/sample_site.hpp"

namespace hearth::pxe {
namespace {

using testing::HasSubstr;

// Whether the programs take it is for tests/peers/pxe/export_peer.sh to say; here, that nothing is left out.

TEST(Export, DnsmasqGetsRangesHostsAndTheLoaderOfEachFirmware) {
  const std::string text = export_dnsmasq(dhcp::sample_site());
  for (const char* part :
       {"interface=eth0\n", "dhcp-range=set:net0,192.0.2.100,192.0.2.102,255.255.255.0,3600s\n",
        "dhcp-option=tag:net0,option:router,192.0.2.254\n", "dhcp-host=52:54:00:00:00:01,192.0.2.50,one\n",
        "dhcp-boot=tag:ipxe,http://192.0.2.1/ipxe/${mac:hexhyp}\n", "undionly.kpxe,,192.0.2.1\n"})
    EXPECT_THAT(text, HasSubstr(part));
}

TEST(Export, KeaGetsSubnetsReservationsAndClasses) {
  const std::string text = export_kea(dhcp::sample_site());
  for (const char* part : {R"("subnet": "192.0.2.0/24")", R"({"pool": "192.0.2.100 - 192.0.2.102"})",
                           R"("hw-address": "52:54:00:00:00:01", "ip-address": "192.0.2.50", "hostname": "one")",
                           R"("boot-file-name": "undionly.kpxe")"})
    EXPECT_THAT(text, HasSubstr(part));
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
