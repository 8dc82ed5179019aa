#include "metadata/live/heat_blueprint.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "base/error.hpp"

namespace hearth::metadata::live {
namespace {

using testing::HasSubstr;

constexpr const char* k_template = R"(
heat_template_version: 2018-08-31
parameters:
  greeting: {type: string, default: hello}
  secret: {type: string, default: s3, hidden: true}
resources:
  server: {type: OS::Heat::DeployedServer, properties: {name: node-0}, metadata: {extra: 1}}
  cfg: {type: OS::Heat::SoftwareConfig, properties: {group: script, config: "echo $greeting", inputs: [{name: greeting}], outputs: [{name: result}]}}
  dep:
    type: OS::Heat::SoftwareDeployment
    properties: {name: First, config: {get_resource: cfg}, server: {get_resource: server}, input_values: {greeting: {get_param: greeting}}}
  after:
    type: OS::Heat::SoftwareDeployment
    properties: {config: {get_resource: cfg}, server: {get_resource: server}, input_values: {greeting: {get_attr: [dep, result]}}, signal_transport: NO_SIGNAL}
  handle: {type: OS::Heat::WaitConditionHandle}
  wait: {type: OS::Heat::WaitCondition, properties: {handle: {get_resource: handle}, count: 2, timeout: 60}}
  group:
    type: OS::Heat::ResourceGroup
    properties: {count: 2, resource_def: {type: OS::Heat::Value, properties: {value: "%index%"}}}
outputs:
  result: {value: {get_attr: [dep, result]}}
)";

class HeatBlueprintTest : public testing::Test {
 protected:
  static std::unique_ptr<Blueprint> make(const std::string& text, const Json& parameters = Json::object()) {
    StackDefinition definition;
    definition.name = "s";
    definition.id = "11111111-2222-4333-8444-555555555555";
    definition.project = "admin";
    definition.body["template"] = text;
    definition.body["parameters"] = parameters;
    return HeatBlueprintMaker("secret").make(definition);
  }
  static PlannedResource find(const PlannedStack& plan, const std::string& name) {
    for (const PlannedResource& resource : plan.resources) {
      if (resource.name == name) return resource;
    }
    throw std::out_of_range(name);
  }
};

TEST_F(HeatBlueprintTest, SeesWhatATemplateIsMadeOf) {
  const auto blueprint = make(k_template);
  const PlannedStack plan = blueprint->stack("");
  EXPECT_EQ(plan.name, "s");
  EXPECT_EQ(find(plan, "dep").role, Role::deployment);
  EXPECT_THAT(find(plan, "after").needs, testing::IsSupersetOf({"cfg", "server", "dep"}));
  EXPECT_EQ(find(plan, "cfg").role, Role::fixed);
  EXPECT_TRUE(blueprint->stack("group").is_group);
  EXPECT_EQ(blueprint->stack("group").resources.size(), 2U);
  EXPECT_THAT(blueprint->stack("group").name, testing::StartsWith("s-group-"));
  EXPECT_EQ(blueprint->server("server").name, "node-0");
  EXPECT_EQ(blueprint->server("server").metadata["extra"], 1);
  EXPECT_EQ(blueprint->wait("wait").handle, "handle");
  EXPECT_EQ(blueprint->wait("wait").count, 2U);
  EXPECT_EQ(blueprint->parameters()["secret"], "******");
}

TEST_F(HeatBlueprintTest, ADeploymentsEntryIsWhatAgentsKnow) {
  const auto blueprint = make(k_template, {{"greeting", "hi"}});
  const Trigger trigger{Action::create, "config-id", "2026-11-21T00:12:44Z", {{"deploy_signal_id", "http://x"}}};
  const PlannedDeployment plan = blueprint->deployment("dep", trigger);
  EXPECT_EQ(plan.server, "server");
  EXPECT_TRUE(plan.triggers);
  EXPECT_EQ(plan.derived["id"], "config-id");
  EXPECT_EQ(plan.derived["name"], "First");
  EXPECT_EQ(plan.derived["inputs"][0]["value"], "hi");
  EXPECT_THAT(plan.derived.dump(), HasSubstr("\"http://x\""));
  EXPECT_FALSE(blueprint->deployment("dep", {Action::erase, "", "", {}}).triggers);
}

TEST_F(HeatBlueprintTest, WhatWaitsIsAnErrorUntilItIsKnown) {
  const auto blueprint = make(k_template);
  EXPECT_THROW((void)blueprint->properties("after"), Error);
  EXPECT_TRUE(blueprint->outputs("")[0].value.is_null());
  blueprint->know(
      "dep", Json::parse(R"({"result": "42", "deploy_stdout": "", "deploy_stderr": "", "deploy_status_code": 0})"));
  EXPECT_THAT(blueprint->properties("after").dump(), HasSubstr("\"42\""));
  EXPECT_EQ(blueprint->outputs("")[0].value, "42");
}

TEST_F(HeatBlueprintTest, AChangedConfigIsAChangedDeploymentThoughItsIdIsTheSame) {
  std::string text = k_template;
  const Json before = make(text)->properties("dep");
  text.replace(text.find("echo $greeting"), 4, "ECHO");
  EXPECT_NE(make(text)->properties("dep"), before);
  EXPECT_EQ(make(k_template)->properties("dep"), before);
}

TEST_F(HeatBlueprintTest, ABadTemplateIsRefusedWithItsPlace) {
  EXPECT_THROW(make("heat_template_version: 2018-08-31\nresources: {a: {type: No::Such}}"), Error);
  EXPECT_THROW(make("- 1"), Error);
  EXPECT_THROW((void)make(k_template)->properties("nowhere"), Error);
}

}  // namespace
}  // namespace hearth::metadata::live
