#include "bootstrap/inventory/site_form.hpp"

#include <gtest/gtest.h>

#include "bootstrap/inventory/draft.hpp"

namespace hearth::bootstrap {
namespace {

constexpr const char* k_form_site = R"(network: {subnet: 192.0.2.0/24, seed: 192.0.2.1, pool: 192.0.2.100-192.0.2.199}
bmc: {type: redfish, user: admin, password: change-me}
machines:
  - name: control1
    mac: "52:54:00:00:00:01"
    firmware: uefi
    profile: control
    address: 192.0.2.11
    memory: 768
    bmc: {address: "https://198.51.100.1", system: /redfish/v1/Systems/1, redfish_verify_ca: /etc/ca.pem}
    root_device: {size: ">= 200"}
    x_seed: {rack: A1}
  - {mac: 52:54:00:11:22:33, bmc: {type: ipmi, address: 198.51.100.2, password: 0123}}
stack: {template: t.yaml}
)";

TEST(SiteForm, aSiteFilesMachinesAreAnInventory) {
  const auto entries = read_listing(k_form_site, "site.yaml", ListingFormat::yaml);
  ASSERT_TRUE(entries) << entries.error().text();
  ASSERT_EQ(entries->size(), 2U);
  const Json& first = (*entries)[0].data;
  EXPECT_EQ(first["pm_type"], "redfish") << "from the site's own bmc";
  EXPECT_EQ(first["pm_user"], "admin");
  EXPECT_EQ(first["pm_addr"], "https://198.51.100.1");
  EXPECT_EQ(first["pm_system_id"], "/redfish/v1/Systems/1");
  EXPECT_EQ(first["redfish_verify_ca"], "/etc/ca.pem");
  EXPECT_EQ(first["capabilities"], "boot_mode:uefi,boot_option:local,profile:control");
  EXPECT_EQ(first["x_seed"], (Json{{"rack", "A1"}, {"ipv4_address", "192.0.2.11"}}));
  EXPECT_FALSE(first.contains("memory")) << "that is the rehearsed machine's";
  const Json& second = (*entries)[1].data;
  EXPECT_EQ(second["name"], "node2");
  EXPECT_EQ(second["pm_type"], "ipmi");
  EXPECT_EQ(second["pm_password"], "0123");
  EXPECT_EQ(second["mac"][0], "52:54:00:11:22:33");
  EXPECT_TRUE(draft_nodes(*entries).good()) << faults_text(draft_nodes(*entries).faults, {}, "site.yaml");
}

TEST(SiteForm, faultsHaveThePlaceInTheSiteFile) {
  const auto entries =
      read_listing("network: {}\nmachines:\n  - name: a\n    mac: x\n    bmc:\n      type: redfsh\n      address: b\n",
                   "s.yaml", ListingFormat::yaml);
  ASSERT_TRUE(entries);
  EXPECT_EQ(faults_text(draft_nodes(*entries).faults, {}, "s.yaml"),
            "s.yaml:6:13: node #0: unknown pm_type (ironic driver to use): redfsh (do you mean redfish?)\n"
            "s.yaml:4:10: node #0: MAC address x is invalid");
}

}  // namespace
}  // namespace hearth::bootstrap
