#include "bootstrap/conductor/config_drive.hpp"

#include <gtest/gtest.h>

#include "base/hmac.hpp"

namespace hearth::bootstrap {
namespace {

TEST(ConfigDrive, isACompressedVolumeInBase64AndAlwaysTheSame) {
  const Json contents = {{"meta_data", {{"name", "web1"}}}, {"user_data", "#!/bin/sh\n"}};
  const std::string drive = config_drive(contents);
  const std::string bytes = base64_decode(drive).value();
  EXPECT_EQ(bytes.substr(0, 2), "\x1f\x8b");
  EXPECT_EQ(drive, config_drive(contents));
  EXPECT_NE(drive, config_drive({{"meta_data", {{"name", "web2"}}}}));
}

TEST(ConfigDrive, keysAndUserDataOfTheNodeComeBeforeItsRoles) {
  Node node;
  node.uuid = "u";
  node.name = "web1";
  node.properties["capabilities"] = "profile:compute";
  EXPECT_EQ(role_of(node), "compute");
  EXPECT_TRUE(drive_contents(node, Json::object()).is_null());
  const Json role = {{"ssh_keys", {"ssh-ed25519 ROLE"}}, {"user_data", "role"}};
  EXPECT_EQ(drive_contents(node, role)["meta_data"]["public_keys"]["default"], "ssh-ed25519 ROLE");
  node.extra["x_seed"] = {{"ssh_keys", {"ssh-ed25519 A", "ssh-ed25519 B"}}};
  const Json own = drive_contents(node, role);
  EXPECT_EQ(own["meta_data"]["public_keys"], Json::parse(R"({"default": "ssh-ed25519 A", "key1": "ssh-ed25519 B"})"));
  EXPECT_EQ(own["user_data"], "role");
  EXPECT_EQ(own["meta_data"]["hostname"], "web1");
}

}  // namespace
}  // namespace hearth::bootstrap
