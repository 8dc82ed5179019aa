#include "metadata/live/heat_blueprint.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "base/error.hpp"
#include "base/text.hpp"

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
  EXPECT_EQ(blueprint->parameters("")["secret"], "******");
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

TEST_F(HeatBlueprintTest, MetadataAndDependenciesAreCompared) {
  const std::string before = make(k_template)->properties("server").dump();
  std::string text = k_template;
  text.replace(text.find("extra: 1"), 8, "extra: 2");
  EXPECT_NE(make(text)->properties("server").dump(), before);
  text = k_template;
  text.replace(text.find("type: OS::Heat::WaitConditionHandle"), 0, "depends_on: cfg, ");
  EXPECT_NE(make(text)->properties("handle").dump(), make(k_template)->properties("handle").dump());
}

TEST_F(HeatBlueprintTest, OfWhatHoldsAStackOnlyWhatCanNotChangeIsCompared) {
  const auto chain = [](const std::string& more) {
    return make(cat("{heat_template_version: 2018-08-31, resources: {c: {type: OS::Heat::ResourceChain, properties: {",
                    more, "}}}}"))
        ->properties("c");
  };
  EXPECT_EQ(chain("resources: [OS::Heat::None]"), chain("resources: [OS::Heat::None, OS::Heat::None]"));
  EXPECT_NE(chain("resources: [OS::Heat::None]"), chain("resources: [OS::Heat::None], concurrent: true"));
}

TEST_F(HeatBlueprintTest, AGroupForgetsNoNameThatWasRemoved) {
  const std::string text = R"(
heat_template_version: 2018-08-31
parameters: {gone: {type: comma_delimited_list, default: ""}}
resources:
  g:
    type: OS::Heat::ResourceGroup
    properties:
      count: 2
      removal_policies: [{resource_list: {get_param: gone}}]
      resource_def: {type: OS::Heat::Value, properties: {value: "%index%"}}
outputs: {removed: {value: {get_attr: [g, removed_rsrc_list]}}}
)";
  const auto with_policy = make(text, {{"gone", "0"}});
  EXPECT_THAT(with_policy->stack("g").blacklist, testing::ElementsAre("0"));
  EXPECT_EQ(with_policy->stack("g").resources[0].name, "1");
  const auto later = make(text);
  later->know("g", {{"removed_rsrc_list", Json::array({"0"})}});
  EXPECT_EQ(later->stack("g").resources[0].name, "1");
  EXPECT_EQ(later->stack("g").resources[1].name, "2");
  EXPECT_EQ(later->outputs("")[0].value, Json::array({"0"}));
}

TEST_F(HeatBlueprintTest, HandlesTellTheirUrlToWhateverRefersToThem) {
  const auto blueprint = make(R"(
heat_template_version: 2018-08-31
resources:
  heat: {type: OS::Heat::WaitConditionHandle, properties: {signal_transport: CFN_SIGNAL}}
  aws: {type: "AWS::CloudFormation::WaitConditionHandle"}
  swift: {type: OS::Heat::SwiftSignalHandle}
  wait: {type: OS::Heat::SwiftSignal, properties: {handle: {get_resource: swift}, count: 3, timeout: 5}}
  again: {type: OS::Heat::UpdateWaitConditionHandle}
outputs: {curl: {value: {get_attr: [heat, curl_cli]}}, url: {value: {get_resource: aws}}}
)");
  using Form = PlannedHandle::Form;
  EXPECT_EQ(blueprint->handle("heat").form, Form::heat);
  EXPECT_EQ(blueprint->handle("heat").transport, "CFN_SIGNAL");
  EXPECT_EQ(blueprint->handle("aws").form, Form::aws);
  EXPECT_EQ(blueprint->handle("swift").form, Form::swift);
  blueprint->know("swift", {{"url", "http://x/swift"}});
  blueprint->know("aws", {{"url", "http://x/aws"}});
  blueprint->know("heat", {{"curl_cli", "curl -i"}});
  EXPECT_EQ(blueprint->wait("wait").handle, "swift");
  EXPECT_EQ(blueprint->wait("wait").count, 3U);
  EXPECT_EQ(blueprint->outputs("")[0].value, "curl -i");
  EXPECT_EQ(blueprint->outputs("")[1].value, "http://x/aws");
  EXPECT_EQ(blueprint->properties("again"), blueprint->properties("again"));
}

TEST(Breakpoints, AreFoundByNamesAndPatternsOfWhichThereMayBeThreeHundred) {
  Json resources = {{"Comp*", {{"*", {{"server", {{"hooks", {"pre-create", 5}}}}}}}},
                    {"Compute", {{"0", {{"hooks", "x"}}}}}};
  const Breakpoints few(resources);
  EXPECT_THAT(few.hooks_of("Compute.0.server"), testing::ElementsAre("pre-create"));
  EXPECT_THAT(few.hooks_of("Compute.0"), testing::ElementsAre("x"));
  EXPECT_THAT(few.hooks_of("Control.0.server"), testing::IsEmpty());
  for (int i = 0; i < 5000; ++i) resources[cat("named", i)]["hooks"] = "pre-create";
  for (int i = 0; i < 298; ++i) resources[cat("n", i, "-*")]["hooks"] = "pre-create";
  EXPECT_THAT(Breakpoints(resources).hooks_of("n17-a"), testing::ElementsAre("pre-create"));
  resources["one-more-*"]["hooks"] = "pre-create";
  EXPECT_THROW(Breakpoints{resources}, Error);
}

TEST_F(HeatBlueprintTest, SaysWhatCanChangeInPlaceAndWhereToPause) {
  StackDefinition definition;
  definition.name = "s";
  definition.id = "11111111-2222-4333-8444-555555555555";
  definition.body["template"] = k_template;
  definition.body["environment"] = Json::parse(
      R"({"resource_registry": {"resources": {"gr*": {"0": {"hooks": "pre-create"}}, "dep": {"hooks": ["pre-update"]}}}})");
  const auto blueprint = HeatBlueprintMaker("secret").make(definition);
  EXPECT_TRUE(blueprint->updates_in_place("dep", {"input_values", "name"}));
  EXPECT_FALSE(blueprint->updates_in_place("dep", {"server"}));
  EXPECT_THAT(find(blueprint->stack(""), "dep").hooks, testing::ElementsAre("pre-update"));
  EXPECT_THAT(find(blueprint->stack("group"), "0").hooks, testing::ElementsAre("pre-create"));
  EXPECT_THAT(find(blueprint->stack("group"), "1").hooks, testing::IsEmpty());
  EXPECT_EQ(blueprint->shown_attributes("server")["name"], "node-0");
  EXPECT_EQ(blueprint->source("group")["resources"]["1"]["properties"]["value"], "1");
  EXPECT_TRUE(blueprint->environment()["resource_registry"]["resources"].contains("dep"));
}

TEST_F(HeatBlueprintTest, WhatSomebodyElseMadeIsNeitherMadeNorChanged) {
  const std::string text = R"(
heat_template_version: 2018-08-31
parameters: {id: {type: string, default: EXT-1}}
resources:
  theirs: {type: OS::Nova::Server, external_id: {get_param: id}}
  v: {type: OS::Heat::Value, properties: {value: {get_resource: theirs}}}
)";
  const auto blueprint = make(text);
  EXPECT_EQ(find(blueprint->stack(""), "theirs").role, Role::plain) << "no machine is to be provided";
  EXPECT_EQ(blueprint->physical_id("theirs"), "EXT-1");
  EXPECT_EQ(blueprint->reference("theirs"), "EXT-1");
  EXPECT_EQ(blueprint->properties("v")["value"], "EXT-1");
  EXPECT_NE(blueprint->properties("theirs"), make(text, {{"id", "EXT-2"}})->properties("theirs"));
}

TEST_F(HeatBlueprintTest, ATemplateThatIsTooLargeForHeatIsRefused) {
  const std::string large = "heat_template_version: 2018-08-31\n# " + std::string(524'288, 'x') + "\n";
  const auto refusal = [](const Json& body) -> std::string {
    StackDefinition definition;
    definition.name = "s";
    definition.id = "11111111-2222-4333-8444-555555555555";
    definition.body = body;
    try {
      (void)HeatBlueprintMaker("secret").make(definition);
    } catch (const Error& error) {
      return error.what();
    }
    return "";
  };
  EXPECT_THAT(refusal({{"template", large}}), HasSubstr("exceeds maximum allowed size (524288 bytes)"));
  EXPECT_THAT(refusal({{"template", "heat_template_version: 2018-08-31\nresources: {n: {type: n.yaml}}\n"},
                       {"files", {{"n.yaml", large}}}}),
              HasSubstr("exceeds maximum allowed size (524288 bytes)"));
  EXPECT_EQ(refusal({{"template", large.substr(0, 524'288)}}), "");
}

TEST_F(HeatBlueprintTest, ABadTemplateIsRefusedWithItsPlace) {
  EXPECT_THROW(make("heat_template_version: 2018-08-31\nresources: {a: {type: No::Such}}"), Error);
  EXPECT_THROW(make("- 1"), Error);
  EXPECT_THROW((void)make(k_template)->properties("nowhere"), Error);
}

}  // namespace
}  // namespace hearth::metadata::live
