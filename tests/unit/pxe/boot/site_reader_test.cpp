#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "pxe/boot/site.hpp"

namespace hearth::pxe {
namespace {

using testing::HasSubstr;

constexpr const char* k_good = R"({
  "_comment": "keys with an underscore are comments",
  "mode": "proxy", "interfaces": ["eth0"], "unknown": "inspect", "http_port": 8080,
  "networks": [{"subnet": "192.0.2.0/24", "server": "192.0.2.1", "pools": ["192.0.2.100-192.0.2.199"],
                "router": "192.0.2.254", "search": ["example.org"], "lease_s": 600}],
  "profiles": {"deploy": {"kernel": "/k", "ramdisk": "/r", "append": "quiet"}},
  "nodes": [{"name": "a", "mac": ["52-54-00-00-00-01"], "address": "192.0.2.50", "state": "wait call-back"},
            {"name": "b", "ports": [{"address": "52:54:00:00:00:02"}], "secure_boot": true}]})";

TEST(SiteReader, ReadsAWholeSite) {
  const Result<Site> site = parse_site(k_good, "site.json");
  ASSERT_TRUE(site) << site.error().text();
  EXPECT_EQ(site->mode, Mode::proxy);
  EXPECT_EQ(site->unknown, UnknownPolicy::inspect);
  EXPECT_EQ(site->http_port, 8080);
  EXPECT_EQ(site->networks.at(0).lease_s, 600U);
  EXPECT_EQ(to_text(site->networks.at(0).pools.at(0).last), "192.0.2.199");
  EXPECT_EQ(site->nodes.at(0).state, BootState::deploy);
  EXPECT_EQ(to_text(site->nodes.at(1).macs.at(0)), "52:54:00:00:00:02");
  EXPECT_TRUE(site->nodes.at(1).secure_boot);
  EXPECT_EQ(site->profiles.at(BootState::deploy).append.text(), "quiet");
}

/// What is said of a site.
std::string said_of(const char* text) {
  const Result<Site> site = parse_site(text, "site.json");
  return site ? "" : site.error().text();
}

TEST(SiteReader, TellsAllThatIsWrongAtOnce) {
  const std::string said = said_of(R"({"mode": "magic", "intrefaces": ["eth0"],
    "networks": [{"subnet": "192.0.2.0/24", "pools": ["198.51.100.1-198.51.100.2", "x"]}],
    "nodes": [{"name": "a", "mac": ["52:54:00:00:00:01", "ff:ff:ff:ff:ff:ff"], "address": "203.0.113.1", "state": "odd"},
              {"name": "a", "mac": ["52:54:00:00:00:01"]}]})");
  for (const char* part : {"mode: is full or proxy", "unknown key 'intrefaces' (interfaces?)", "networks[0].server",
                           "'198.51.100.1-198.51.100.2' is not within 192.0.2.0/24", "'x' is not FIRST-LAST",
                           "MAC address ff:ff:ff:ff:ff:ff is invalid", "203.0.113.1 is in none of the networks",
                           "unknown state 'odd'", "MAC 52:54:00:00:00:01 is not unique: nodes[0] has it",
                           "name a is not unique", "interfaces: name the interfaces"})
    EXPECT_THAT(said, HasSubstr(part));
  for (const char* placed : {"site.json:1:2: mode: is full", "site.json:1:19: site: unknown key 'intrefaces'",
                             "site.json:1:1: interfaces:", "site.json:2:45: networks[0].pools: 'x' is not",
                             "site.json:3:80: nodes[0].address", "site.json:4:15: nodes[1]: "})
    EXPECT_THAT(said, HasSubstr(placed));
}

TEST(SiteReader, AMacThatYamlMadeANumberIsNamedAsSuch) {
  EXPECT_THAT(said_of(R"({"nodes": [{"mac": [41135080953]}]})"), HasSubstr("without quotes in YAML"));
}

TEST(SiteReader, OddShapesAreRefusedNotBelieved) {
  EXPECT_THAT(said_of("[]"), HasSubstr("object"));
  EXPECT_THAT(said_of("{"), HasSubstr("site.json:1"));
  EXPECT_NE(said_of(R"({"networks": 5, "nodes": [5, null], "profiles": 7, "http_port": -1})"), "");
  EXPECT_THAT(said_of(R"({"profiles": {"deploy": {}}})"), HasSubstr("profiles.deploy.kernel"));
}

TEST(SiteReader, WhatWouldBecomeALineOfAScriptIsRefusedByName) {
  const auto site = parse_site(R"({"interfaces": ["eth0"],
      "networks": [{"subnet": "192.0.2.0/24", "server": "192.0.2.1"}],
      "profiles": {"deploy": {"kernel": "http://h/k\nshell", "append": "quiet\nchain http://192.0.2.66/x"}},
      "nodes": [{"name": "a\nb", "mac": "52:54:00:00:00:01", "append": "a=${b}"}]})",
                               "site");
  ASSERT_FALSE(site);
  for (const char* told : {"profiles.deploy.kernel: a line end at character 11", "profiles.deploy.append: a line end",
                           "nodes[0].name: is a host name", "nodes[0].append: '$' at character 3"})
    EXPECT_NE(site.error().what.find(told), std::string::npos) << site.error().what;
}

}  // namespace
}  // namespace hearth::pxe
