#include "metadata/batch/eval.hpp"

#include <gtest/gtest.h>

#include "metadata/model/value_text.hpp"
#include "tests/unit/metadata/case_file.hpp"

namespace hearth::metadata {
namespace {

TEST(EvaluateCase, gives_the_values_and_kinds_of_errors_of_the_real_heat) {
  for (const Value& test : cases("functions.json")) {
    const Value got = evaluate_case(test);
    const Value* error = test.find("error");
    const std::string snippet = json_text(of(test, "snippet"));
    if (error != nullptr) {
      EXPECT_EQ(python_str(of(got, "error")), error->text()) << snippet << json_text(got);
    } else {
      EXPECT_EQ(json_text(of(got, "result")), json_text(of(test, "result"))) << snippet << json_text(got);
    }
  }
}

Value evaluated(const std::string& text) { return evaluate_case(parse_json_value(text, "test").value_or_throw()); }

TEST(EvaluateCase, knows_that_an_availability_zone_is_nova_without_a_cloud) {
  EXPECT_EQ(json_text(evaluated(R"({"version": "2013-05-23", "snippet": {"Fn::GetAZs": ""}})")),
            R"({"result": ["nova"]})");
}

TEST(EvaluateCase, does_not_evaluate_arguments_twice_at_each_level) {
  std::string snippet = R"({"get_param": "s"})";
  for (int i = 0; i < 60; ++i) snippet = R"({"list_join": ["", [)" + snippet + "]]}";
  const Value got = evaluated(R"({"version": "2018-08-31", "params": {"s": "x"}, "snippet": )" + snippet + "}");
  EXPECT_EQ(json_text(got), R"({"result": "x"})");
}

}  // namespace
}  // namespace hearth::metadata
