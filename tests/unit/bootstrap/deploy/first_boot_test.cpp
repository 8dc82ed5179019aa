#include "bootstrap/deploy/first_boot.hpp"

#include <gtest/gtest.h>

namespace hearth::bootstrap {
namespace {

const Json k_server = {{"id", "u-1"},
                       {"name", "over-0"},
                       {"properties", {{"metadata", {{"rack", "3"}}}}},
                       {"user_data", "#cloud-config\n"},
                       {"os_collect_config", {{"cfn", {{"path", "s.Metadata"}}}}}};

TEST(FirstBoot, theDriveNamesTheServerAndLeadsItsAgentToItsMetadata) {
  const Json node = {{"extra", {{"x_seed", {{"ssh_keys", {"ssh-ed25519 A", "ssh-ed25519 B"}}, {"user_data", "no"}}}}},
                     {"network_data", {{"links", Json::array()}}}};
  const Json drive = first_boot_contents(k_server, node, Json::object());
  EXPECT_EQ(drive["meta_data"]["uuid"], "u-1");
  EXPECT_EQ(drive["meta_data"]["hostname"], "over-0");
  EXPECT_EQ(drive["meta_data"]["meta"]["rack"], "3");
  EXPECT_EQ(drive["meta_data"]["os-collect-config"]["cfn"]["path"], "s.Metadata");
  EXPECT_EQ(drive["meta_data"]["public_keys"]["default"], "ssh-ed25519 A");
  EXPECT_EQ(drive["meta_data"]["public_keys"]["key1"], "ssh-ed25519 B");
  EXPECT_EQ(drive["user_data"], "#cloud-config\n");
  EXPECT_TRUE(drive["network_data"].contains("links"));
}

TEST(FirstBoot, theDriveNamesWhomToTrustToItsAgentAndToCloudInit) {
  const std::string authority = "-----BEGIN CERTIFICATE-----\nMII\n-----END CERTIFICATE-----\n";
  Json server = k_server;
  server["authority"] = authority;
  const Json drive = first_boot_contents(server, Json::object(), Json::object());
  EXPECT_EQ(drive["meta_data"]["hearth-authority"], authority);
  const std::string vendor = drive["vendor_data"]["cloud-init"];
  ASSERT_TRUE(vendor.starts_with("#cloud-config\n")) << vendor;
  const Json config = parse_json(vendor.substr(14), "vendor").value_or_throw();
  EXPECT_EQ(config["ca_certs"]["trusted"], Json::array({authority}));
  const Json in_clear = first_boot_contents(k_server, Json::object(), Json::object());
  EXPECT_FALSE(in_clear.contains("vendor_data"));
  EXPECT_FALSE(in_clear["meta_data"].contains("hearth-authority"));
}

TEST(FirstBoot, theRolesKeysAndUserDataServeWhereTheNodeHasNone) {
  const Json role = {{"ssh_keys", {"ssh-ed25519 R"}}, {"user_data", "#!/bin/sh"}, {"meta_data", {{"zone", "a"}}}};
  const Json drive = first_boot_contents({{"id", "u"}, {"name", "n"}, {"user_data", ""}}, Json::object(), role);
  EXPECT_EQ(drive["user_data"], "#!/bin/sh");
  EXPECT_EQ(drive["meta_data"]["zone"], "a");
  EXPECT_EQ(drive["meta_data"]["public_keys"].size(), 1U);
  EXPECT_FALSE(drive["meta_data"].contains("os-collect-config"));
}

TEST(FirstBoot, theMachinesAddressIsTheInventorysOrElseItsRamdisks) {
  EXPECT_EQ(machine_of({{"extra", {{"x_seed", {{"address", "192.0.2.7"}}}}}})["first_address"], "192.0.2.7");
  const Json seen = machine_of({{"driver_internal_info", {{"last_address", "192.0.2.9"}}}, {"uuid", "n"}});
  EXPECT_EQ(seen["address"], "192.0.2.9");
  EXPECT_EQ(seen["networks"]["ctlplane"][0], "192.0.2.9");
  EXPECT_EQ(seen["node"], "n");
}

}  // namespace
}  // namespace hearth::bootstrap
