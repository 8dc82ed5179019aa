#include "metadata/compile/plan.hpp"

#include <gtest/gtest.h>

#include "metadata/model/json_reader.hpp"
#include "tests/unit/metadata/stack_fixture.hpp"

namespace hearth::metadata {
namespace {

Value document(const std::string& deployments) {
  return parse_json_value("{\"deployments\": [" + deployments + "]}", "t").value_or_throw();
}

TEST(Plan, names_deployments_that_come_go_and_change_and_the_inputs_that_differ) {
  Compiled compiled;
  compiled.servers.push_back(
      {.path = "a",
       .name = "a",
       .id = "1",
       .metadata = document(
           R"({"id": "new", "name": "x", "config": "c", "inputs": [{"name": "i", "value": 2}]}, {"name": "fresh"})"),
       .held = {}});
  const std::map<std::string, Value> before = {
      {"a",
       document(
           R"({"id": "old", "name": "x", "config": "c", "inputs": [{"name": "i", "value": 1}]}, {"name": "gone"})")},
      {"b", document("")}};
  const std::vector<ServerPlan> plans = plan(compiled, before);
  ASSERT_EQ(plans.size(), 2U);
  EXPECT_EQ(plans[0].lines, (std::vector<std::string>{"+ fresh", "~ x: input i 1 -> 2", "- gone"}));
  EXPECT_EQ(plans[1].change, ServerPlan::Change::removed);
}

TEST(Plan, says_where_what_changed_is_written) {
  const auto compiled_with = [](const std::string& value, const std::map<std::string, Value>* before) {
    const auto built = build(
        {{"top.yaml",
          "heat_template_version: 2018-08-31\nparameters: {p: {type: string}}\nresources:\n"
          "  s: {type: OS::Heat::DeployedServer}\n"
          "  c: {type: OS::Heat::SoftwareConfig, properties: {group: script, config: x, inputs: [{name: i}]}}\n"
          "  d: {type: OS::Heat::SoftwareDeployment, properties: {name: first, config: {get_resource: c}, server: "
          "{get_resource: s}, input_values: {i: {get_param: p}}}}\n"},
         {"env.yaml", "parameter_defaults:\n  p: " + value + "\n"}});
    const Compiled compiled = compile(built->model, {});
    if (before != nullptr) {
      EXPECT_EQ(plan(compiled, *before, &built->model)[0].lines,
                std::vector<std::string>{R"(~ first: input i "one" -> "two", because of env.yaml:2:6)"});
    }
    return std::map<std::string, Value>{{"s", compiled.servers[0].metadata}};
  };
  const std::map<std::string, Value> before = compiled_with("one", nullptr);
  (void)compiled_with("two", &before);
}

TEST(Plan, finds_nothing_where_only_ids_and_signal_addresses_differ) {
  Compiled compiled;
  compiled.servers.push_back(
      {.path = "a",
       .name = "a",
       .id = "1",
       .metadata = document(R"({"id": "new", "name": "x", "inputs": [{"name": "deploy_signal_id", "value": "u"}]})"),
       .held = {}});
  const std::map<std::string, Value> before = {{"a", document(R"({"id": "old", "name": "x", "inputs": []})")}};
  EXPECT_EQ(plan(compiled, before)[0].change, ServerPlan::Change::none);
}

}  // namespace
}  // namespace hearth::metadata
