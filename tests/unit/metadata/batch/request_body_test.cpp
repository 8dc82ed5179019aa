#include "metadata/batch/request_body.hpp"

#include <gtest/gtest.h>

#include "base/text.hpp"
#include "metadata/model/fault.hpp"
#include "metadata/model/json_reader.hpp"

namespace hearth::metadata {
namespace {

Value json(const std::string& text) { return parse_json_value(text, "test").value_or_throw(); }

/// The type of the fault; empty when there is none.
template <typename Check>
std::string refused(const Check& check, const std::string& text) {
  try {
    check(json(text));
  } catch (const Fault& fault) {
    return fault.type();
  }
  return "";
}

TEST(RequestBody, with_values_of_the_right_kinds_passes) {
  EXPECT_EQ(
      refused(check_request_body, R"({"stack_name": "a", "timeout_mins": "5", "disable_rollback": "True", "tags": "a,b",
    "parameters": {"p": 1}, "environment": {"parameters": {}}, "files": {"e": "{}"}, "environment_files": ["e"]})"),
      "");
}

TEST(RequestBody, is_refused_as_heats_api_refuses_it) {
  EXPECT_EQ(refused(check_request_body, R"({"timeout_mins": " 5 "})"), "HTTPBadRequest");
  EXPECT_EQ(refused(check_request_body, R"({"timeout_mins": true})"), "HTTPBadRequest");
  EXPECT_EQ(refused(check_request_body, R"({"timeout_mins": -1})"), "HTTPBadRequest");
  EXPECT_EQ(refused(check_request_body, R"({"tags": ["a"]})"), "AttributeError");
  EXPECT_EQ(refused(check_request_body, cat(R"({"tags": "a,)", std::string(81, 'b'), "\"}")), "HTTPBadRequest");
  EXPECT_EQ(refused(check_request_body, R"({"disable_rollback": 1})"), "ValueError");
  EXPECT_EQ(refused(check_request_body, R"({"parameters": "a"})"), "ValueError");
  EXPECT_EQ(refused(check_request_body, R"({"parameters": 5})"), "TypeError");
  EXPECT_EQ(refused(check_request_body, R"({"files": "a"})"), "ValueError");
  EXPECT_EQ(refused(check_request_body, R"({"files": {"a": 1}})"), "TypeError");
  EXPECT_EQ(refused(check_request_body, R"({"environment_files": ["a"], "files": {}})"), "KeyError");
  EXPECT_EQ(refused(check_request_body, R"({"environment": {"parameters": []}})"), "AttributeError");
  EXPECT_EQ(refused(check_request_body, R"({"files": ""})"), "AttributeError");
}

TEST(RequestBody, has_no_environment_beside_files_of_environments) {
  EXPECT_EQ(refused(check_request_body,
                    R"({"environment": {"parameters": ""}, "files": {"e": "{}"}, "environment_files": ["e"]})"),
            "");
}

TEST(EnvironmentSections, are_what_the_engine_takes) {
  EXPECT_EQ(refused(check_environment_sections, R"({"resource_registry": {}, "event_sinks": []})"), "");
  EXPECT_EQ(refused(check_environment_sections, R"({"resource_registry": ""})"), "AttributeError");
  EXPECT_EQ(refused(check_environment_sections, R"({"event_sinks": ["a"]})"), "AttributeError");
}

TEST(EventSinks, are_maps_with_type_and_target) {
  EXPECT_EQ(refused(check_event_sinks, R"([{"type": "zaqar-queue", "target": "q", "ttl": 5}])"), "");
  EXPECT_EQ(refused(check_event_sinks, "[]"), "");
  EXPECT_EQ(refused(check_event_sinks, R"([{"type": "other", "target": "q"}])"), "KeyError");
  EXPECT_EQ(refused(check_event_sinks, R"([{"type": "zaqar-queue"}])"), "TypeError");
  EXPECT_EQ(refused(check_event_sinks, R"(["a"])"), "AttributeError");
  EXPECT_EQ(refused(check_event_sinks, R"({"a": 1})"), "AttributeError");
  EXPECT_EQ(refused(check_event_sinks, "5"), "TypeError");
}

}  // namespace
}  // namespace hearth::metadata
