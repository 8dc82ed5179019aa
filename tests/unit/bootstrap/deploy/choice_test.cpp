#include "bootstrap/deploy/choice.hpp"

#include <gtest/gtest.h>

#include "base/text.hpp"

namespace hearth::bootstrap {
namespace {

Json node(const std::string& name, const std::string& capabilities = "", const Json& more = Json::object()) {
  Json row = {{"uuid", cat("uuid-", name)},
              {"name", name},
              {"provision_state", "available"},
              {"maintenance", false},
              {"instance_uuid", nullptr},
              {"resource_class", "baremetal"},
              {"properties", {{"capabilities", capabilities}}}};
  row.update(more);
  return row;
}

Json server(const std::string& id, const std::string& flavor, const std::string& hint = "") {
  Json row = {{"id", id}, {"name", cat("over-", id)}, {"properties", {{"flavor", flavor}}}};
  if (!hint.empty()) row["properties"]["scheduler_hints"] = {{"capabilities:node", hint}};
  return row;
}

TEST(Choice, aFlavorIsAProfileOrAResourceClassAndBaremetalIsAnyNode) {
  const Json nodes = {node("a", "profile:control"), node("b", "boot_mode:uefi,profile:compute"), node("c"),
                      node("d", "", {{"resource_class", "CUSTOM_BIG_ONE"}})};
  const Choice choice = choose_nodes(
      Json::array({server("1", "baremetal"), server("2", "control"), server("3", "compute"), server("4", "big-one")}),
      nodes);
  EXPECT_TRUE(choice.complete());
  EXPECT_EQ(choice.nodes,
            (std::map<std::string, std::string>{{"1", "uuid-c"}, {"2", "uuid-a"}, {"3", "uuid-b"}, {"4", "uuid-d"}}));
}

TEST(Choice, aNodeThatWasGivenAwayIsNobodys) {
  const Json nodes = {node("a", "", {{"driver_internal_info", {{"given_to", "http://cloud:5000"}}}}), node("b")};
  const Choice choice = choose_nodes({server("1", "baremetal"), server("2", "baremetal")}, nodes);
  EXPECT_EQ(choice.nodes, (std::map<std::string, std::string>{{"1", "uuid-b"}}));
  EXPECT_NE(choice.refused.at("2").find("a was given to http://cloud:5000"), std::string::npos);
}

TEST(Choice, aHintNamesTheOneNodeAndIsServedFirst) {
  const Json nodes = {node("a"), node("b", "node:controller-0"), node("c")};
  const Choice choice = choose_nodes(
      {server("1", "baremetal"), server("2", "baremetal", "controller-0"), server("3", "baremetal", "a")}, nodes);
  EXPECT_EQ(choice.nodes, (std::map<std::string, std::string>{{"1", "uuid-c"}, {"2", "uuid-b"}, {"3", "uuid-a"}}));
}

TEST(Choice, theNodeThatHasTheServersUuidIsKeptWhateverItsStateIs) {
  const Json nodes = {node("a"), node("b", "", {{"instance_uuid", "1"}, {"provision_state", "deploy failed"}})};
  EXPECT_EQ(choose_nodes(Json::array({server("1", "other")}), nodes).nodes.at("1"), "uuid-b");
}

TEST(Choice, whereNoNodeFitsEachIsNamedWithItsReason) {
  const Json nodes = {node("a", "profile:compute"),
                      node("b", "profile:control", {{"maintenance", true}, {"maintenance_reason", "fan"}}),
                      node("c", "profile:control", {{"instance_uuid", "x"}, {"provision_state", "active"}}),
                      node("d", "profile:control", {{"provision_state", "clean failed"}, {"last_error", "no disk"}})};
  const Choice choice = choose_nodes(Json::array({server("1", "control")}), nodes);
  EXPECT_FALSE(choice.complete());
  EXPECT_EQ(choice.refused.at("1"),
            "no node of flavor control for server over-1: a has profile compute; b is in maintenance: fan; "
            "c is in use (active, instance x); d is clean failed: no disk");
  EXPECT_EQ(choose_nodes(Json::array({server("1", "baremetal")}), Json::array()).refused.at("1"),
            "no node for server over-1: there are no nodes");
  const Choice two =
      choose_nodes(Json::array({server("1", "baremetal"), server("2", "baremetal")}), Json::array({node("a")}));
  EXPECT_EQ(two.refused.at("2"), "no node for server over-2: a is taken by another server of this stack");
}

TEST(Choice, whatIsSaidOfManyNodesIsSaidOnceWithWhatToDo) {
  Json nodes = Json::array();
  for (const char* name : {"a", "b", "c", "d", "e", "f"}) nodes.push_back(node(name));
  nodes.push_back(node("g", "profile:control"));
  EXPECT_EQ(choose_nodes(Json::array({server("1", "compute")}), nodes).refused.at("1"),
            "no node of flavor compute for server over-1: a, b, c and 3 more: each has no profile, and resource class "
            "baremetal; g has profile control. A node is of that flavor with `hearth node set NODE --capability "
            "profile:compute` (in a site file: profile: compute); flavor baremetal takes any node");
  for (Json& one : nodes) one["provision_state"] = "cleaning";
  EXPECT_EQ(choose_nodes(Json::array({server("1", "baremetal")}), nodes).waits.at("1"),
            "a, b, c and 4 more: each is cleaning");
}

TEST(Choice, aNodeThatIsStillBusyIsWaitedFor) {
  const Choice choice = choose_nodes(Json::array({server("1", "baremetal")}),
                                     Json::array({node("a", "", {{"provision_state", "cleaning"}})}));
  EXPECT_TRUE(choice.refused.empty());
  EXPECT_EQ(choice.waits.at("1"), "a is cleaning");
}

TEST(Choice, theImageIsTheServersOrElseTheCommandsOwn) {
  EXPECT_EQ(image_of({{"properties", {{"image", "web"}}}}, "usual"), "web");
  EXPECT_EQ(image_of(server("1", "x"), "usual"), "usual");
  EXPECT_EQ(node_title({{"name", nullptr}, {"uuid", "u"}}), "u");
}

}  // namespace
}  // namespace hearth::bootstrap
