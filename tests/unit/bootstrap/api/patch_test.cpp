#include "bootstrap/api/patch.hpp"

#include <gtest/gtest.h>

#include "bootstrap/conductor/transition.hpp"

namespace hearth::bootstrap {
namespace {

std::string refusal_of(const char* patch) {
  try {
    Node node;
    node.driver = "ipmi";
    static_cast<void>(patched(node, Json::parse(patch)));
  } catch (const Refusal& refusal) {
    EXPECT_EQ(refusal.status(), 400);
    return refusal.what();
  }
  return "";
}

TEST(Patch, membersAreAddedReplacedAndRemoved) {
  Node node;
  node.driver = "ipmi";
  node.properties = {{"cpus", 1}, {"gone", 1}};
  node.fields["resource_class"] = "gold";
  const Node result = patched(node, Json::parse(R"([
    {"op": "add", "path": "/instance_info/image_source", "value": "u"}, {"op": "replace", "path": "/properties/cpus", "value": 2},
    {"op": "remove", "path": "/properties/gone"}, {"op": "remove", "path": "/resource_class"},
    {"op": "add", "path": "/extra/a~1b", "value": 1}, {"op": "add", "path": "/properties/root_device/serial", "value": "S"},
    {"op": "replace", "path": "/name", "value": "web1"}, {"op": "add", "path": "/network_data", "value": {"links": []}}])"));
  EXPECT_EQ(result.instance_info["image_source"], "u");
  EXPECT_EQ(result.properties, Json::parse(R"({"cpus": 2, "root_device": {"serial": "S"}})"));
  EXPECT_FALSE(result.fields.contains("resource_class"));
  EXPECT_EQ(result.extra["a/b"], 1);
  EXPECT_EQ(result.name, "web1");
  EXPECT_TRUE(result.fields.contains("network_data"));
}

TEST(Patch, whatIsNotAllowedIsRefusedInIronicsWords) {
  EXPECT_NE(refusal_of(R"([{"op": "remove", "path": "/extra/k"}])").find("can't remove a non-existent object 'k'"),
            std::string::npos);
  EXPECT_NE(refusal_of(R"([{"op": "replace", "path": "/extra/k", "value": 1}])").find("non-existent"),
            std::string::npos);
  for (const char* bad :
       {R"([{"op": "add", "path": "/provision_state", "value": "active"}])",
        R"([{"op": "add", "path": "/uuid", "value": "x"}])", R"([{"op": "move", "path": "/extra/a"}])",
        R"([{"op": "add", "path": "extra", "value": {}}])", R"([{"op": "add", "path": "/properties", "value": 1}])",
        R"({})", R"([{"op": "add", "path": "/name", "value": "a b"}])",
        R"([{"op": "add", "path": "/driver/x", "value": 1}])"}) {
    EXPECT_NE(refusal_of(bad), "") << bad;
  }
}

TEST(Patch, nodesAndPortsAreMadeFromKnownFieldsOnly) {
  Node node;
  take_fields(node,
              Json::parse(R"({"driver": "ipmi", "name": "n", "boot_interface": "ipxe", "driver_info": {"a": 1}})"));
  EXPECT_EQ(node.driver_info["a"], 1);
  EXPECT_FALSE(node.fields.contains("boot_interface"));  // what a node has anyway is not kept
  EXPECT_THROW(take_fields(node, Json::parse(R"({"colour": 1})")), Refusal);
  Port port;
  take_fields(port, Json::parse(R"({"address": "52-54-00-00-00-0A", "pxe_enabled": false, "node_uuid": "x"})"));
  EXPECT_EQ(port.address, "52:54:00:00:00:0a");
  EXPECT_FALSE(port.pxe_enabled);
  EXPECT_THROW(take_fields(port, Json::parse(R"({"address": "zz"})")), Refusal);
  EXPECT_EQ(
      patched(port, Json::parse(R"([{"op": "replace", "path": "/address", "value": "52:54:00:00:00:0b"}])")).address,
      "52:54:00:00:00:0b");
}

}  // namespace
}  // namespace hearth::bootstrap
