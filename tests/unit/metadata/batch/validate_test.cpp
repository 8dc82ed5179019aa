#include "metadata/batch/validate.hpp"

#include <gtest/gtest.h>

#include "metadata/model/json_reader.hpp"
#include "metadata/model/value_text.hpp"
#include "tests/unit/metadata/case_file.hpp"

namespace hearth::metadata {
namespace {

class ValidateCases : public testing::TestWithParam<const char*> {};

TEST_P(ValidateCases, are_accepted_and_refused_as_by_the_real_heat_for_the_same_kind_of_reason) {
  for (const Value& test : cases(GetParam())) {
    const Value got = validate_case(test);
    const bool accepted = of(test, "status").as_integer() == 200;
    EXPECT_EQ(got.find("result") != nullptr, accepted) << json_text(of(test, "name")) << json_text(got);
    if (accepted) continue;
    EXPECT_EQ(python_str(of(got, "error")), python_str(of(test, "error"))) << json_text(of(test, "name"));
  }
}

INSTANTIATE_TEST_SUITE_P(Files, ValidateCases,
                         testing::Values("validation.json", "validation_more.json", "validation_odd.json",
                                         "validation_order.json"));

TEST(RegistryCase, looks_types_up_as_the_real_heat_does) {
  for (const Value& test : cases("registry.json")) {
    const Value got = registry_case(test);
    if (const Value* error = test.find("error")) {
      EXPECT_EQ(python_str(of(got, "error")), error->text());
    } else {
      EXPECT_EQ(json_text(of(of(got, "result"), "lookups")), json_text(of(test, "lookups")));
      EXPECT_EQ(json_text(of(of(got, "result"), "merged")), json_text(of(test, "merged")));
    }
  }
}

TEST(RegistryCase, finds_nothing_where_a_map_stands_for_a_type) {
  const Value got = registry_case(parse_json_value(R"({"files": [{"A": {"B": "C"}, "OS::Heat::Value": {}}],
    "lookups": [["A", null], ["OS::Heat::Value", "x"]]})",
                                                   "test")
                                      .value_or_throw());
  EXPECT_EQ(json_text(of(of(got, "result"), "lookups")),
            R"([["A", null, "ERR", "AttributeError: the resource_registry maps A to a map"], )"
            R"(["OS::Heat::Value", "x", "Class", "OS::Heat::Value"]])");
  const Value pattern = registry_case(parse_json_value(R"({"files": [{"A*": {"hooks": "pre-create"}}],
    "lookups": [["OS::Heat::Value", "x"]]})",
                                                       "test")
                                          .value_or_throw());
  EXPECT_EQ(json_text(of(of(pattern, "result"), "lookups")),
            R"([["OS::Heat::Value", "x", "ERR", "AttributeError: the resource_registry maps A* to a map"]])");
}

}  // namespace
}  // namespace hearth::metadata
