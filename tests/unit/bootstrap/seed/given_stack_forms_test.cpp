#include "bootstrap/seed/given_stack_forms.hpp"

#include <gtest/gtest.h>

#include "base/error.hpp"
#include "base/text.hpp"

namespace hearth::bootstrap {
namespace {

const Json k_exported = Json::parse(R"({
  "name": "web", "action": "CREATE", "status": "COMPLETE",
  "template": {"heat_template_version": "2016-10-14", "resources": {
    "s": {"type": "OS::Nova::Server", "properties": {"name": "n", "image": "disk", "flavor": "big"}},
    "g": {"type": "OS::Heat::ResourceGroup", "properties": {"count": 1, "resource_def": {"type": "My::Node"}}}}},
  "files": {"file:///node.yaml": "heat_template_version: 2016-10-14\nresources:\n  t: {type: My::Server}\n",
            "script": "echo My::Server", "env": "resource_registry: {\"My::Server\": \"OS::Heat::DeployedServer\"}"},
  "environment": {"parameters": {"p": "v"}, "resource_registry": {"My::Node": "file:///node.yaml"}},
  "environment_files": ["env"],
  "resources": {
    "s": {"type": "OS::Nova::Server", "action": "CREATE", "status": "COMPLETE", "resource_id": "id-s",
          "metadata": {"deployments": [{"id": "ran-1", "name": "b", "creation_time": "t", "config": "x",
                                        "inputs": [{"name": "deploy_signal_id", "value": "http://seed"}, {"name": "in", "value": 1}]}],
                       "os-collect-config": {"cfn": {"secret_access_key": "k"}}, "own": "kept"}},
    "r": {"type": "OS::Heat::RandomString", "action": "CREATE", "status": "COMPLETE", "resource_id": "web-r",
          "resource_data": {"value": "secret"}},
    "c": {"type": "OS::Heat::SoftwareConfig", "action": "CREATE", "status": "COMPLETE", "resource_id": "c-seed"},
    "d": {"type": "OS::Heat::SoftwareDeployment", "action": "CREATE", "status": "COMPLETE", "resource_id": "d-seed"},
    "g": {"type": "OS::Heat::ResourceGroup", "action": "CREATE", "status": "COMPLETE", "resources": {
      "0": {"type": "My::Node", "action": "CREATE", "status": "COMPLETE", "resources": {
        "t": {"type": "My::Server", "action": "CREATE", "status": "COMPLETE", "resource_id": "id-t"}}}}}}})");

const Json k_known = Json::parse(R"({
  "servers": [{"path": "s", "id": "id-s", "transport": "POLL_SERVER_CFN"},
              {"path": "g.0.t", "id": "id-t", "transport": "POLL_SERVER_CFN"}],
  "configs": [{"path": "c"}], "deployments": [{"path": "d", "config": {"id": "ran-1", "inputs": []}}]})");

GivenStack stack() {
  GivenStack made{"web", "id", "", "", "", {}, {}, {}};
  made.configs["c"] = "c-heat";
  made.deployments.push_back({"d", "id-s", "ran-1", "config-1", "d-heat"});
  return made;
}

TEST(GivenStackForms, WhatHeatDoesNotAdoptIsNamed) {
  EXPECT_EQ(stack_faults(k_exported, k_known, false), std::vector<std::string>());
  Json exported = k_exported;
  exported["status"] = "FAILED";
  exported["resources"]["d"]["status"] = "FAILED";
  exported["resources"]["p"] = {{"type", "OS::Neutron::Port"}, {"action", "CREATE"}, {"status", "COMPLETE"}};
  exported["resources"]["g"]["type"] = "OS::Heat::ResourceChain";
  Json known = k_known;
  known["servers"][0]["transport"] = "POLL_TEMP_URL";
  known["servers"][0]["by_hand"] = {"mine"};
  known["deployments"][0]["config"]["inputs"] = {{{"name", "deploy_signal_transport"}, {"value", "TEMP_URL_SIGNAL"}}};
  const std::string told = join(stack_faults(exported, known, false), "\n");
  for (const char* part :
       {"stack web: it is CREATE_FAILED", "stack web: d is CREATE_FAILED",
        "p is an OS::Neutron::Port, which Heat does not adopt as it is", "g is an OS::Heat::ResourceChain",
        "s polls by POLL_TEMP_URL, and the cloud's catalogue has no object-store service",
        "s has the software deployment mine, made by hand", "d signals by TEMP_URL_SIGNAL"})
    EXPECT_NE(told.find(part), std::string::npos) << part << "\n" << told;
  known["deployments"][0]["config"] = nullptr;
  EXPECT_NE(join(stack_faults(exported, known, true), "\n").find("d has never run"), std::string::npos);
  EXPECT_EQ(join(stack_faults(exported, known, true), "\n").find("object-store"), std::string::npos);
}

TEST(GivenStackForms, ServersOfEachTypeAreDeployedOnesThere) {
  const Json own = stack_for_cloud(k_exported, Transport::own);
  EXPECT_EQ(own["template"]["resources"]["s"],
            Json::parse(R"({"type": "OS::Heat::DeployedServer", "properties": {"name": "n"}})"));
  EXPECT_EQ(Json::parse(own["files"]["file:///node.yaml"].get<std::string>())["resources"]["t"]["type"],
            "OS::Heat::DeployedServer");
  EXPECT_EQ(own["files"]["script"], "echo My::Server") << "what is no template stays as it is";
  EXPECT_EQ(own["template"]["resources"]["g"], k_exported["template"]["resources"]["g"]);
  EXPECT_EQ(own["parameters"]["p"], "v");
  EXPECT_EQ(own["environment_files"], Json::array({"env"}));
  const Json first = stack_for_cloud(k_exported, Transport::interim);
  EXPECT_EQ(first["template"]["resources"]["s"]["properties"]["software_config_transport"], "ZAQAR_MESSAGE");
}

TEST(GivenStackForms, IdsAreKeptOrHeatsOwn) {
  const Json body = adoption(k_exported, k_known, stack(), "tag");
  EXPECT_EQ(body["tags"], "tag");
  EXPECT_FALSE(body.contains("template"));
  const Json rows = Json::parse(body["adopt_stack_data"].get<std::string>())["resources"];
  EXPECT_EQ(rows["s"]["resource_id"], "id-s");
  EXPECT_EQ(rows["r"]["resource_data"]["value"], "secret");
  EXPECT_EQ(rows["c"]["resource_id"], "c-heat");
  EXPECT_EQ(rows["d"]["resource_id"], "d-heat");
  EXPECT_EQ(rows["g"]["resources"]["0"]["resources"]["t"]["resource_id"], "id-t");
  const Json& metadata = rows["s"]["metadata"];
  EXPECT_EQ(metadata["own"], "kept");
  EXPECT_FALSE(metadata.contains("os-collect-config")) << "the seed's keys stay with the seed";
  ASSERT_EQ(metadata["deployments"].size(), 1U);
  EXPECT_EQ(metadata["deployments"][0]["id"], "config-1");
  EXPECT_EQ(format_json(body).find("http://seed"), std::string::npos) << "nobody there signals the seed";
  EXPECT_EQ(ran_on(stack(), "id-s"), Json({{"ran-1", "config-1"}}));
  EXPECT_EQ(ran_on(stack(), "id-t"), Json::object());
}

TEST(GivenStackForms, AJournalKeepsAllOfIt) {
  GivenStack made = stack();
  made.cloud_id = "there";
  made.step = "told";
  made.updated = "2026";
  made.agents.push_back({"id-s", "n", "told", "c", "d", 7});
  EXPECT_EQ(stack_of_json(stack_json(made)), made);
}

}  // namespace
}  // namespace hearth::bootstrap
