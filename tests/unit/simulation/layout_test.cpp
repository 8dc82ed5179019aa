#include "simulation/layout.hpp"

#include <gtest/gtest.h>

#include "base/error.hpp"
#include "base/text.hpp"

namespace hearth::simulation {
namespace {

constexpr const char* k_site =
    "network: {subnet: 192.0.2.0/24, seed: 192.0.2.1, pool: 192.0.2.100-192.0.2.102%s}\n"
    "deploy: {kernel: k, ramdisk: r}\n"
    "image: not-there.qcow2\n"
    "machines:\n"
    "  - {name: control1, firmware: uefi, mac: '52:54:00:00:00:11', address: 192.0.2.11, bmc: {type: ipmi, address: "
    "192.0.2.201}}\n"
    "  - {name: compute1}\n";

bootstrap::SiteFile site_with(const std::string& further) {
  auto site = bootstrap::parse_site_file(replace_all(k_site, "%s", further), "site.yaml");
  EXPECT_TRUE(site) << site.error();
  return std::move(site).value();
}

TEST(Layout, IsThatOfTheSiteFile) {
  std::vector<std::string> notes;
  const Layout layout = layout_of(site_with(""), 1000, notes);
  EXPECT_EQ(layout.server(), "192.0.2.1");
  EXPECT_EQ(layout.pool(), 3U);
  EXPECT_EQ(layout.names(), (std::vector<std::string>{"control1", "compute1"}));
  EXPECT_EQ(layout.machines[0].mac, "52:54:00:00:00:11");
  EXPECT_EQ(layout.machines[0].uefi, std::optional(true));
  EXPECT_EQ(layout.machines[0].address, "192.0.2.11");
  EXPECT_EQ(layout.machines[1].uefi, std::nullopt);
}

TEST(Layout, WhatIsPlayedOtherwiseIsTold) {
  std::vector<std::string> notes;
  (void)layout_of(site_with(""), 1000, notes);
  const std::string all = join(notes, "\n");
  EXPECT_NE(all.find("not-there.qcow2 is not there: one of 2 GiB is played"), std::string::npos) << all;
  EXPECT_NE(all.find("control1 (ipmi)"), std::string::npos) << all;
}

TEST(Layout, ASiteWhosePoolIsNotKnownIsRefused) {
  std::vector<std::string> notes;
  bootstrap::SiteFile site = site_with("");
  site.proxy = true;
  EXPECT_THROW((void)layout_of(site, 1000, notes), Error);
  site.proxy = false;
  site.machines.clear();
  EXPECT_THROW((void)layout_of(site, 1000, notes), Error);
}

}  // namespace
}  // namespace hearth::simulation
