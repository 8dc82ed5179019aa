#include "agent/heat_config/deployment/deployment.hpp"

#include <gtest/gtest.h>

#include "base/python_json.hpp"

namespace hearth::agent {
namespace {

Json parsed(const char* text) { return parse_python_json(text, "t").value_or_throw(); }

TEST(Deployment, StringInputsGetPythonsTextForm) {
  const Json found = with_text_inputs(parsed(R"({"inputs": [{"name": "a", "type": "String", "value": [1, null]},
    {"name": "b", "type": "Json", "value": [1]}, {"name": "c", "type": "String"}, {"name": "d", "type": "String", "value": true}]})"));
  EXPECT_EQ(found["inputs"][0]["value"], "[1, None]");
  EXPECT_EQ(found["inputs"][1]["value"], Json::array({1}));
  EXPECT_FALSE(found["inputs"][2].contains("value"));
  EXPECT_EQ(found["inputs"][3]["value"], "True");
  EXPECT_EQ(with_text_inputs(parsed(R"({"inputs": null})")), parsed(R"({"inputs": null})"));
}

TEST(Deployment, AComponentGivesThePartForTheAction) {
  const char* text = R"({"group": "component", "inputs": [{"name": "deploy_action", "value": "UPDATE"}],
    "config": {"configs": [{"actions": ["CREATE"], "config": "c", "tool": "script"}, {"actions": ["UPDATE", "X"], "config": "u", "tool": "puppet"}]}})";
  const std::optional<Json> found = resolve_component(parsed(text));
  ASSERT_TRUE(found);
  EXPECT_EQ((*found)["group"], "puppet");
  EXPECT_EQ((*found)["config"], "u");
  EXPECT_FALSE(resolve_component(parsed(R"({"group": "component", "config": {"configs": []}})")));
  EXPECT_TRUE(resolve_component(parsed(R"({"group": "script"})")));
}

TEST(Deployment, HookNamesAndIdsCannotLeaveTheirDirectory) {
  EXPECT_EQ(hook_name("../scr ipt!"), "script");
  EXPECT_EQ(hook_name("Heat::Ungrouped"), "HeatUngrouped");
  EXPECT_TRUE(is_safe_id("1234-ab"));
  for (const char* id : {"", "../x", "a/b", ".x"}) EXPECT_FALSE(is_safe_id(id)) << id;
}

TEST(Deployment, SecretsAreMaskedByNameAndWhereverTheyAppear) {
  const SecretMask mask(
      parsed(R"({"inputs": [{"name": "admin_password", "value": "hunter22"}, {"name": "db_pw", "value": {"a": "zzz"}},
    {"name": "deploy_signal_id", "value": "http://h/?Sig=1"}, {"name": "size", "value": "large"}, {"name": "token", "value": "1"}]})"));
  EXPECT_EQ(mask.apply("x hunter22 large {\"a\": \"zzz\"} http://h/?Sig=1 1"), "x *** large *** *** 1");
}

}  // namespace
}  // namespace hearth::agent
