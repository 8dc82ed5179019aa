#include "metadata/batch/validate.hpp"

#include <gtest/gtest.h>

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
                         testing::Values("validation.json", "validation_more.json", "validation_odd.json"));

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

}  // namespace
}  // namespace hearth::metadata
