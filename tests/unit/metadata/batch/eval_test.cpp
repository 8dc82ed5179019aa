#include "metadata/batch/eval.hpp"

#include <gtest/gtest.h>

#include "metadata/model/value_text.hpp"
#include "tests/unit/metadata/case_file.hpp"

namespace hearth::metadata {
namespace {

class EvaluateCases : public testing::TestWithParam<const char*> {};

TEST_P(EvaluateCases, give_the_values_and_kinds_of_errors_of_the_real_heat) {
  for (const Value& test : cases(GetParam())) {
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

INSTANTIATE_TEST_SUITE_P(Files, EvaluateCases, testing::Values("functions.json", "functions_more.json", "yaql.json"));

Value evaluated(const std::string& text) { return evaluate_case(parse_json_value(text, "test").value_or_throw()); }

TEST(EvaluateCase, knows_that_an_availability_zone_is_nova_without_a_cloud) {
  EXPECT_EQ(json_text(evaluated(R"({"version": "2013-05-23", "snippet": {"Fn::GetAZs": ""}})")),
            R"({"result": ["nova"]})");
}

TEST(EvaluateCase, names_what_yaql_is_not_asked_for_and_where) {
  for (const char* call :
       {"now()", "random()", "datetime(2020, 1, 1)", "timespan(days => 1)", "utctz()", "localtz()"}) {
    const Value got = evaluated(std::string(R"({"version": "2018-08-31", "snippet": {"yaql": {"expression": ")") +
                                call + R"("}}, "params": {}})");
    EXPECT_EQ(python_str(of(got, "error")), "NotSupportedException") << call;
    EXPECT_NE(python_str(of(got, "message")).find(std::string(call).substr(0, std::string(call).find('('))),
              std::string::npos);
  }
}

TEST(EvaluateCase, ends_functions_that_call_themselves_for_ever) {
  const Value got = evaluated(
      R"j({"version": "2018-08-31", "snippet": {"yaql": {"expression": "def(f, f($)) -> f(1)"}}, "params": {}})j");
  EXPECT_EQ(python_str(of(got, "error")), "RecursionError");
}

TEST(EvaluateCase, does_not_evaluate_arguments_twice_at_each_level) {
  std::string snippet = R"({"get_param": "s"})";
  for (int i = 0; i < 60; ++i) snippet = R"({"list_join": ["", [)" + snippet + "]]}";
  const Value got = evaluated(R"({"version": "2018-08-31", "params": {"s": "x"}, "snippet": )" + snippet + "}");
  EXPECT_EQ(json_text(got), R"({"result": "x"})");
}

}  // namespace
}  // namespace hearth::metadata
