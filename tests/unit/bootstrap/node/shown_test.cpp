#include "bootstrap/node/shown.hpp"

#include <gtest/gtest.h>

#include "base/text.hpp"

namespace hearth::bootstrap {
namespace {

Node some_node() {
  Node node;
  node.uuid = "ce9937be-d2f9-4d1b-b3ae-016c128ed6af";
  node.driver = "ipmi";
  node.driver_info = {{"ipmi_address", "192.0.2.5"}, {"ipmi_password", "secret"}};
  node.instance_info = {{"configdrive", "H4sI"}};
  node.internal = {{"agent_secret_token", "token"}};
  node.state = State::available;
  return node;
}

TEST(Shown, secretsAreMaskedEverywhere) {
  const std::string text = shown_node(some_node(), {"http://h", "hearth", 82}).dump();
  for (const char* secret : {"\"secret\"", "H4sI", "\"token\""})
    EXPECT_EQ(text.find(secret), std::string::npos) << secret;
  EXPECT_EQ(masked(Json::parse(R"({"a":[{"my_password":"x"}],"b":1})")),
            Json::parse(R"({"a":[{"my_password":"******"}],"b":1})"));
}

TEST(Shown, secretsAreKnownInAnyCaseAndPublicKeysAreNone) {
  for (const char* name :
       {"API_TOKEN", "bmc_token", "adminPassword", "apikey", "private_key", "passphrase", "credential", "ssh_key",
        "IMAGE_URL", "snmp_Community", "ipmi_hex_kg_key", "snmp_auth_key"}) {
    EXPECT_EQ(masked({{name, "x"}}), Json({{name, "******"}})) << name;
    EXPECT_EQ(without_secret_members({{name, "x"}}), Json::object()) << name;
    EXPECT_EQ(for_readers({{name, "x"}}), Json({{name, "******"}})) << name;
  }
  for (const char* name :
       {"ssh_keys", "ssh_public_key", "ssh_authorized_keys", "image_signature", "monkey", "ipmi_address"}) {
    EXPECT_EQ(masked({{name, "x"}}), Json({{name, "x"}})) << name;
    EXPECT_EQ(for_readers({{name, "x"}}), Json({{name, "x"}})) << name;
  }
  EXPECT_EQ(for_readers({{"User_Data", "x"}}), Json({{"User_Data", "******"}}));
}

TEST(Shown, hasEveryKeyOfApi178) {
  const Json shown = shown_node(some_node(), {"http://h", "hearth", 78});
  const std::string keys =
      "uuid created_at updated_at automated_clean bios_interface boot_interface boot_mode clean_step conductor "
      "conductor_group console_enabled console_interface deploy_interface deploy_step description driver driver_info "
      "driver_internal_info extra fault inspection_finished_at inspection_started_at inspect_interface instance_info "
      "instance_uuid last_error lessee maintenance maintenance_reason management_interface name network_data "
      "network_interface owner power_interface power_state properties protected protected_reason provision_state "
      "provision_updated_at raid_config raid_interface rescue_interface reservation resource_class retired "
      "retired_reason secure_boot storage_interface target_power_state target_provision_state target_raid_config "
      "traits "
      "vendor_interface allocation_uuid chassis_uuid links ports states portgroups volume";
  for (const std::string& key : split_words(keys)) EXPECT_TRUE(shown.contains(key)) << key;
}

TEST(Shown, olderClientsGetOlderObjects) {
  EXPECT_FALSE(shown_node(some_node(), {"", "", 1}).contains("name"));
  EXPECT_TRUE(shown_node(some_node(), {"", "", 1})["provision_state"].is_null());
  EXPECT_EQ(shown_node(some_node(), {"", "", 5})["provision_state"], "available");
  EXPECT_FALSE(shown_node(some_node(), {"", "", 36}).contains("traits"));
}

TEST(Shown, aPersonsTaskIsThere) {
  Node node = some_node();
  node.instruction = {"power-on-network", "Switch it on.", 1, 2, 1};
  EXPECT_EQ(shown_node(node, {})["driver_internal_info"]["operator_instruction"]["text"], "Switch it on.");
  node.ports = {new_port("52:54:00:00:00:01", 1)};
  EXPECT_EQ(shown_ports(node)[0]["address"], "52:54:00:00:00:01");
  EXPECT_EQ(shown_states(node, 82)["power_state"], nullptr);
  EXPECT_FALSE(shown_to_agent(node).contains("links"));
}

}  // namespace
}  // namespace hearth::bootstrap
