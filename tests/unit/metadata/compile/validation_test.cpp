#include "metadata/compile/validation.hpp"

#include <gtest/gtest.h>

#include "tests/unit/metadata/stack_fixture.hpp"

namespace hearth::metadata {
namespace {

TEST(Validation, finds_all_faults_at_once_with_their_places) {
  const auto built =
      build({{"top.yaml",
              "heat_template_version: 2018-08-31\nresources:\n"
              "  a: {type: OS::Heat::SoftwareConfig, properties: {confg: x}}\n"
              "  b: {type: OS::Heat::SoftwareConfig, properties: {inputs: [{name: n, type: Strin}]}}\n"}});
  const std::vector<Fault> faults = validate_stack(built->root());
  ASSERT_EQ(faults.size(), 2U);
  EXPECT_EQ(faults[0].located(built->model.sources).what(),
            std::string("top.yaml:3:52: Property error: resources.a.properties: Unknown Property confg"));
  EXPECT_EQ(built->model.sources.text(faults[1].mark()), "top.yaml:4:77");
}

TEST(Validation, shows_a_circle_of_depends_on) {
  const auto built =
      build({{"top.yaml",
              "heat_template_version: 2018-08-31\nresources:\n  a: {type: OS::Heat::None, depends_on: c}\n"
              "  b: {type: OS::Heat::None, depends_on: a}\n  c: {type: OS::Heat::None, depends_on: b}\n"}});
  const std::vector<Fault> faults = validate_stack(built->root());
  ASSERT_EQ(faults.size(), 1U);
  EXPECT_EQ(faults[0].text(), "Circular Dependency Found: a -> c -> b -> a");
}

TEST(Validation, names_the_nearest_type) {
  try {
    (void)build({{"top.yaml", "heat_template_version: 2018-08-31\nresources: {a: {type: OS::Heat::SoftwareConfg}}\n"}})
        ->root()
        .resources();
    FAIL();
  } catch (const Fault& fault) {
    EXPECT_NE(fault.story().find("Did you mean OS::Heat::SoftwareConfig?"), std::string::npos);
  }
}

TEST(Validation, refuses_types_that_only_a_cloud_can_make) {
  const auto built = build(
      {{"top.yaml",
        "heat_template_version: 2018-08-31\nresources: {k: {type: OS::Nova::KeyPair, properties: {name: k}}}\n"}});
  ASSERT_EQ(validate_stack(built->root()).size(), 1U);
}

TEST(Validation, warns_of_functions_misspelt_and_of_entries_that_never_win) {
  const auto built =
      build({{"top.yaml", "heat_template_version: 2018-08-31\noutputs: {o: {value: {list_jion: [a]}}}\n"},
             {"env.yaml", "resource_registry: {'OS::My::*': OS::Heat::None, 'OS::My::Port': OS::Heat::Value}\n"}});
  EXPECT_EQ(stack_warnings(built->root()).size(), 2U);
}

TEST(Validation, takes_only_names_that_heat_takes) {
  EXPECT_NO_THROW(check_stack_name("a-b_c.1"));
  for (const char* name : {"", "1a", "a b", "a/b"}) EXPECT_THROW(check_stack_name(name), Fault) << name;
}

}  // namespace
}  // namespace hearth::metadata
