#include "metadata/compile/plan.hpp"

#include <gtest/gtest.h>

#include "metadata/model/json_reader.hpp"

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
