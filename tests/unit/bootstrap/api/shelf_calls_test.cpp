#include "bootstrap/api/shelf_calls.hpp"

#include "base/sys/random.hpp"
#include "tests/unit/bootstrap/api_fixture.hpp"

namespace hearth::bootstrap {
namespace {

class Shelves : public ApiFixture {
 protected:
  std::string make(const std::string& path, const Json& body) {
    const Said made = ask("POST", cat("/v1/", path), body);
    EXPECT_EQ(made.status, 201) << made.fault();
    return text_in(made.body, "uuid");
  }
  std::string add_of_class(const std::string& name, const std::string& mac, std::vector<std::string> traits = {}) {
    const std::string uuid = add("fake-hardware", mac, name);
    Node& node = conductor->ledger().edit(uuid);
    node.fields["resource_class"] = "gold";
    node.traits = std::move(traits);
    conductor->settle();
    return uuid;
  }
};

TEST_F(Shelves, aChassisHoldsNodesAndCannotGoWhileItDoes) {
  const std::string chassis = make("chassis", {{"description", "rack 1"}});
  add("fake-hardware");
  EXPECT_EQ(ask("PATCH", "/v1/nodes/web1", {{{"op", "add"}, {"path", "/chassis_uuid"}, {"value", chassis}}}).status,
            200);
  EXPECT_EQ(ask("GET", cat("/v1/nodes?chassis_uuid=", chassis)).body["nodes"].size(), 1U);
  EXPECT_EQ(ask("GET", cat("/v1/chassis/", chassis, "/nodes")).body["nodes"].size(), 1U);
  EXPECT_EQ(ask("GET", cat("/v1/nodes?chassis_uuid=", random_uuid())).status, 404);
  EXPECT_EQ(ask("DELETE", cat("/v1/chassis/", chassis)).status, 400);
  EXPECT_EQ(ask("PATCH", "/v1/nodes/web1", {{{"op", "add"}, {"path", "/chassis_uuid"}, {"value", random_uuid()}}})
                .fault()
                .substr(0, 7),
            "Chassis");
  EXPECT_EQ(ask("PATCH", "/v1/nodes/web1", {{{"op", "remove"}, {"path", "/chassis_uuid"}}}).status, 200);
  EXPECT_EQ(ask("DELETE", cat("/v1/chassis/", chassis)).status, 204);
  EXPECT_EQ(ask("GET", cat("/v1/chassis/", chassis)).fault(), cat("Chassis ", chassis, " could not be found."));
  EXPECT_EQ(ask("POST", "/v1/nodes", {{"driver", "fake-hardware"}, {"chassis_uuid", chassis}}).status, 400);
}

TEST_F(Shelves, aPortGroupIsOfItsNodeAndStaysWhileItHasPorts) {
  const std::string node = add("fake-hardware");
  const std::string other = add("fake-hardware", "52:54:00:00:00:02", "web2");
  const std::string group =
      make("portgroups", {{"node_uuid", node}, {"name", "bond0"}, {"standalone_ports_supported", false}});
  const std::string port = conductor->node(node).ports.at(0).uuid;
  const auto join_group = [&](const std::string& of, bool pxe) {
    return ask("PATCH", cat("/v1/ports/", of),
               {{{"op", "add"}, {"path", "/portgroup_uuid"}, {"value", group}},
                {{"op", "add"}, {"path", "/pxe_enabled"}, {"value", pxe}}})
        .status;
  };
  EXPECT_EQ(join_group(port, true), 409);
  EXPECT_EQ(join_group(conductor->node(other).ports.at(0).uuid, false), 400);
  EXPECT_EQ(join_group(port, false), 200);
  EXPECT_EQ(ask("GET", "/v1/portgroups/bond0/ports").body["ports"][0]["uuid"], port);
  conductor->ledger().edit(node).ports.at(0).pxe_enabled = true;  // as it can be, where the group was told later
  EXPECT_EQ(ask("PATCH", cat("/v1/ports/", port), {{{"op", "add"}, {"path", "/extra/a"}, {"value", 1}}}).status, 200);
  EXPECT_EQ(ask("GET", "/v1/ports?portgroup=bond0").body["ports"].size(), 1U);
  EXPECT_EQ(ask("GET", "/v1/nodes/web1/portgroups").body["portgroups"][0]["name"], "bond0");
  EXPECT_EQ(ask("GET", "/v1/nodes/web2/portgroups").body["portgroups"].size(), 0U);
  EXPECT_EQ(ask("DELETE", "/v1/portgroups/bond0").status, 400);
  EXPECT_EQ(ask("POST", "/v1/portgroups", {{"node_uuid", random_uuid()}}).status, 400);
  EXPECT_EQ(ask("GET", "/v1/portgroups", {}, "1.22").status, 404);
}

TEST_F(Shelves, anAllocationGetsANodeOfItsClassWithItsTraitsAndGivesItBack) {
  add_of_class("plain", "52:54:00:00:00:01");
  const std::string fast = add_of_class("fast", "52:54:00:00:00:02", {"CUSTOM_FAST"});
  const Said made =
      ask("POST", "/v1/allocations", {{"resource_class", "gold"}, {"traits", {"CUSTOM_FAST"}}, {"name", "job"}});
  EXPECT_EQ(made.status, 201);
  const std::string uuid = made.body["uuid"];
  EXPECT_EQ(ask("GET", "/v1/allocations/job").body["node_uuid"], fast);
  EXPECT_EQ(node(fast).instance_uuid, uuid);
  EXPECT_EQ(ask("GET", "/v1/nodes/fast").body["allocation_uuid"], uuid);
  EXPECT_EQ(ask("GET", "/v1/nodes/fast/allocation").body["uuid"], uuid);
  EXPECT_EQ(ask("GET", "/v1/nodes/plain/allocation").status, 404);
  start();  // another conductor on the same store
  EXPECT_EQ(ask("GET", "/v1/nodes/fast").body["allocation_uuid"], uuid);
  set_state(fast, State::active);
  EXPECT_EQ(ask("DELETE", "/v1/allocations/job").status, 409);
  set_state(fast, State::available);
  EXPECT_EQ(ask("DELETE", "/v1/nodes/fast/allocation").status, 204);
  EXPECT_EQ(node(fast).instance_uuid, "");
  EXPECT_EQ(ask("GET", "/v1/allocations").body["allocations"].size(), 0U);
}

TEST_F(Shelves, anAllocationThatFindsNoNodeSaysWhy) {
  add_of_class("plain", "52:54:00:00:00:01");
  const Said made = ask("POST", "/v1/allocations", {{"resource_class", "silver"}});
  EXPECT_EQ(made.body["state"], "error");
  EXPECT_NE(text_in(made.body, "last_error").find("no available nodes match the resource class silver"),
            std::string::npos);
  EXPECT_EQ(ask("GET", "/v1/allocations?state=active").body["allocations"].size(), 0U);
  EXPECT_EQ(ask("POST", "/v1/allocations", {{"name", "x"}}).status, 400);
  EXPECT_EQ(ask("POST", "/v1/allocations", {{"resource_class", "gold"}, {"candidate_nodes", {"nobody"}}}).status, 400);
  EXPECT_EQ(ask("POST", "/v1/allocations", {{"node", "plain"}}).status, 400);  // it is not active
}

TEST_F(Shelves, undeployingANodeEndsItsAllocation) {
  const std::string uuid = add_of_class("one", "52:54:00:00:00:01");
  const std::string allocation = make("allocations", {{"resource_class", "gold"}});
  set_state(uuid, State::active);
  conductor->verb(uuid, "deleted", Json::object());
  pass(5);
  EXPECT_EQ(node(uuid).allocation, "");
  EXPECT_EQ(ask("GET", cat("/v1/allocations/", allocation)).status, 404);
}

TEST_F(Shelves, volumesChangeOnlyWhileTheMachineIsOffAndGoWithTheirNode) {
  const std::string uuid = add("fake-hardware");
  const std::string connector =
      make("volume/connectors", {{"node_uuid", uuid}, {"type", "iqn"}, {"connector_id", "iqn.a"}});
  const std::string target =
      make("volume/targets", {{"node_uuid", uuid}, {"volume_type", "iscsi"}, {"boot_index", 0}, {"volume_id", "v"}});
  EXPECT_EQ(ask("POST", "/v1/volume/targets",
                {{"node_uuid", uuid}, {"volume_type", "iscsi"}, {"boot_index", 0}, {"volume_id", "w"}})
                .fault(),
            "A volume target with boot index '0' for the same node already exists.");
  EXPECT_EQ(ask("GET", "/v1/nodes/web1/volume/connectors").body["connectors"][0]["uuid"], connector);
  EXPECT_TRUE(ask("GET", "/v1/volume").body.contains("targets"));
  conductor->ledger().edit(uuid).power = Power::on;
  EXPECT_EQ(ask("DELETE", cat("/v1/volume/targets/", target)).status, 400);
  conductor->ledger().edit(uuid).power = Power::off;
  EXPECT_EQ(
      ask("PATCH", cat("/v1/volume/targets/", target), {{{"op", "replace"}, {"path", "/volume_id"}, {"value", "w"}}})
          .body["volume_id"],
      "w");
  EXPECT_EQ(ask("DELETE", "/v1/nodes/web1").status, 204);
  EXPECT_EQ(ask("GET", "/v1/volume/targets").body["targets"].size(), 0U);
  EXPECT_EQ(ask("GET", cat("/v1/volume/connectors/", connector)).status, 404);
}

TEST_F(Shelves, aNamedRecordIsFoundByItsNameAndNobodyMayTakeItTwice) {
  make("deploy_templates",
       {{"name", "CUSTOM_A"},
        {"steps", Json::parse(R"([{"interface": "bios", "step": "s", "args": {}, "priority": 1}])")}});
  EXPECT_EQ(ask("GET", "/v1/deploy_templates/CUSTOM_A").body["steps"].size(), 1U);
  EXPECT_EQ(ask("GET", "/v1/deploy_templates").body["deploy_templates"][0].size(), 3U);
  EXPECT_EQ(ask("POST", "/v1/deploy_templates",
                {{"name", "CUSTOM_A"},
                 {"steps", Json::parse(R"([{"interface": "bios", "step": "s", "args": {}, "priority": 1}])")}})
                .fault(),
            "A deploy template with name CUSTOM_A already exists.");
  const Caller reader{Role::read, "ann"};
  EXPECT_EQ(ask("DELETE", "/v1/deploy_templates/CUSTOM_A", {}, "1.78", "192.0.2.9", reader).status, 403);
  EXPECT_EQ(ask("DELETE", "/v1/deploy_templates/CUSTOM_A").status, 204);
}

}  // namespace
}  // namespace hearth::bootstrap
