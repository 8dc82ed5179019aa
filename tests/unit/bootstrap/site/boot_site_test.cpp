#include "bootstrap/site/boot_site.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "base/sys/file.hpp"
#include "base/text.hpp"

namespace hearth::bootstrap {
namespace {

constexpr const char* k_boot_site = R"(network:
  subnet: 192.0.2.0/24
  seed: 192.0.2.1
  pool: 192.0.2.100-192.0.2.199
  dns: 192.0.2.53
  interface: eth1
deploy: {kernel: k, ramdisk: r}
machines:
  - {name: a, mac: "52:54:00:00:00:01", address: 192.0.2.11}
  - {name: b}
)";

TEST(BootSite, theBootServersTakeTheSite) {
  SiteFile file;
  file.subnet = "192.0.2.0/24";
  file.seed_address = "192.0.2.1";
  file.pool = "192.0.2.100-192.0.2.199";
  file.lease_s = 600;
  const Json json = boot_site(file, "br-ctlplane", "/var/lib/hearth/node");
  const Result<pxe::Site> site = pxe::parse_site(json.dump(), "site");
  ASSERT_TRUE(site) << site.error().text();
  EXPECT_EQ(site->interfaces, std::vector<std::string>{"br-ctlplane"});
  ASSERT_EQ(site->networks.size(), 1U);
  EXPECT_EQ(pxe::to_text(site->networks[0].server), "192.0.2.1");
  EXPECT_TRUE(site->networks[0].routers.empty());
  EXPECT_EQ(site->networks[0].lease_s, 600U);
  EXPECT_EQ(site->unknown, pxe::UnknownPolicy::local);
  file.unknown = "ignore";
  EXPECT_EQ(pxe::parse_site(boot_site(file, "br0", "/srv").dump(), "site")->unknown, pxe::UnknownPolicy::ignore);
}

class BootSiteFile : public testing::Test {
 protected:
  pxe::Site load(const char* name, const std::string& text) {
    RealFileSystem().write(folder_.path() / name, text, {});
    return load_boot_site((folder_.path() / name).string(), "/srv/state");
  }
  std::string fault(const char* name, const std::string& text) {
    try {
      static_cast<void>(load(name, text));
    } catch (const Error& error) {
      return error.story();
    }
    return "";
  }
  TempDir folder_ = TempDir::create(fs::temp_directory_path(), "site.");
};

TEST_F(BootSiteFile, whoOnlyLooksNeedsNoCardOfTheSeeds) {
  const std::string text = replace_all(k_boot_site, "  interface: eth1\n", "");
  EXPECT_NE(fault("site.yaml", text).find("network.interface: is missing: the card of this machine"),
            std::string::npos);
  const pxe::Site site = load_boot_site((folder_.path() / "site.yaml").string(), "/srv/state", pxe::SiteUse::looks);
  EXPECT_EQ(site.nodes.size(), 1U);
}

TEST_F(BootSiteFile, theRamdiskThatTheFileNamesIsForAllWhoNameNone) {
  const pxe::Site site = load("site.yaml", k_boot_site);
  for (const pxe::BootState state : {pxe::BootState::deploy, pxe::BootState::inspect, pxe::BootState::rescue}) {
    ASSERT_TRUE(site.profiles.contains(state)) << pxe::state_name(state);
    EXPECT_EQ(site.profiles.at(state).kernel.text(), (folder_.path() / "k").string());
    EXPECT_EQ(site.profiles.at(state).ramdisk.text(), (folder_.path() / "r").string());
  }
}

TEST_F(BootSiteFile, machinesThatAreNoNodesAreIgnoredWhereItSaysSo) {
  const std::string text = replace_all(k_boot_site, "network:", "network:\n  unknown: ignore");
  EXPECT_EQ(load("site.yaml", text).unknown, pxe::UnknownPolicy::ignore);
  EXPECT_THAT(fault("site.yaml", replace_all(text, "ignore", "inspect")),
              testing::HasSubstr("network.unknown: is local or ignore, not 'inspect'"));
}

TEST_F(BootSiteFile, aSiteFileIsTakenWithItsMachines) {
  const pxe::Site site = load("site.yaml", k_boot_site);
  EXPECT_EQ(site.interfaces, std::vector<std::string>{"eth1"});
  EXPECT_EQ(site.state_dir, "/srv/state");
  ASSERT_EQ(site.networks.size(), 1U);
  EXPECT_EQ(pxe::to_text(site.networks[0].dns.at(0)), "192.0.2.53");
  ASSERT_EQ(site.nodes.size(), 1U) << "one without a MAC can't be told from others";
  EXPECT_EQ(site.nodes[0].name, "a");
  EXPECT_EQ(pxe::to_text(*site.nodes[0].address), "192.0.2.11");
}

TEST_F(BootSiteFile, theCardThatHasTheSeedsAddressIsTakenWhereNoneIsNamed) {
  const std::string text = replace_all(replace_all(k_boot_site, "  interface: eth1\n", ""), "192.0.2.", "127.0.0.");
  EXPECT_EQ(load("site.yaml", text).interfaces, std::vector<std::string>{"lo"});
}

TEST_F(BootSiteFile, pxesOwnDocumentIsTakenToo) {
  EXPECT_EQ(load("site.json", R"({"interfaces": ["e"], "networks": [{"subnet": "192.0.2.0/24", "server": "192.0.2.1"}],
    "state_dir": "/mine"})")
                .state_dir,
            "/mine");
}

TEST_F(BootSiteFile, whatIsWrongIsToldWithItsLine) {
  EXPECT_NE(fault("site.yaml", replace_all(k_boot_site, "192.0.2.11", "198.51.100.7"))
                .find("site.yaml:9: machines[0].address: 198.51.100.7 is not in 192.0.2.0/24"),
            std::string::npos);
  EXPECT_NE(fault("site.yaml", replace_all(k_boot_site, "  interface: eth1\n", "")).find("interface: eth1"),
            std::string::npos);
}

}  // namespace
}  // namespace hearth::bootstrap
