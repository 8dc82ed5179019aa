#include "metadata/compile/wanted_parameters.hpp"

#include <gtest/gtest.h>

#include "tests/unit/metadata/stack_fixture.hpp"

namespace hearth::metadata {
namespace {

constexpr const char* k_wanting = R"(heat_template_version: 2018-08-31
parameters:
  pw: {type: string, hidden: true, description: "the password\nof all", constraints: [{length: {min: 8}}]}
  way: {type: string, constraints: [{allowed_values: [a, b]}]}
  size: {type: number, default: 3}
  "odd name": {type: json}
)";

TEST(WantedParameters, are_an_environment_with_what_is_missing) {
  const auto built = build({{"top.yaml", k_wanting}, {"env.yaml", "parameter_defaults: {way: a}\n"}});
  EXPECT_EQ(wanted_parameters(built->root(), false),
            "# Parameters of top.yaml. Fill them in, and give this file with -e.\nparameters:\n"
            "  # string, hidden; length from 8\n  # the password\n  # of all\n  pw:\n  # json\n  \"odd name\":\n");
  EXPECT_NE(
      wanted_parameters(built->root(), true).find("  # string; one of a, b\n  way: \"a\"\n  # number\n  size: 3\n"),
      std::string::npos);
}

TEST(WantedParameters, are_none_once_they_are_filled_in) {
  const auto built =
      build({{"top.yaml", k_wanting}, {"env.yaml", "parameters: {pw: longenough, way: a, odd name: {}}\n"}});
  EXPECT_NE(wanted_parameters(built->root(), false).find("parameters: {}"), std::string::npos);
}

TEST(WantedParameters, what_can_not_be_looked_at_is_told) {
  const std::string top = "heat_template_version: 2018-08-31\nresources:\n  a: {type: a.yaml}\n";
  const auto missing = build({{"top.yaml", top}});
  EXPECT_NE(wanted_parameters(missing->root(), false).find("  # There may be more; not looked at: "),
            std::string::npos);
  // Each asks for one more, and is deeper than templates may lie in each other in the end.
  const auto circle = build({{"top.yaml", top}, {"a.yaml", top + "parameters: {b: {type: string}}\n"}});
  const std::string said = wanted_parameters(circle->root(), false);
  EXPECT_NE(said.find("  # asked for by a.yaml\n  # string\n  b:\n"), std::string::npos) << said;
  EXPECT_NE(said.find("not looked at: "), std::string::npos) << said;
}

TEST(WantedParameters, of_templates_inside_come_all_at_once) {
  const auto built = build(
      {{"top.yaml",
        "heat_template_version: 2018-08-31\nresources:\n  a: {type: a.yaml, properties: {given: {get_attr: [b, "
        "out]}}}\n"
        "  b: {type: b.yaml}\n  chain: {type: OS::Heat::ResourceChain, properties: {resources: [c.yaml]}}\n"},
       {"a.yaml", "heat_template_version: 2018-08-31\nparameters: {given: {type: string}, first: {type: number}}\n"},
       {"b.yaml",
        "heat_template_version: 2018-08-31\nparameters: {second: {type: string}}\nresources: {d: {type: d.yaml}}\n"
        "outputs: {out: {value: x}}\n"},
       {"c.yaml", "heat_template_version: 2018-08-31\nparameters: {third: {type: json}, second: {type: string}}\n"},
       {"d.yaml", "heat_template_version: 2018-08-31\nparameters: {fourth: {type: boolean}}\n"}});
  EXPECT_EQ(wanted_parameters(built->root(), false),
            "# Parameters of top.yaml. Fill them in, and give this file with -e.\nparameter_defaults:\n"
            "  # asked for by a.yaml\n  # number\n  first:\n  # asked for by d.yaml\n  # boolean\n  fourth:\n"
            "  # asked for by b.yaml\n  # string\n  second:\n  # asked for by c.yaml\n  # json\n  third:\n");
  EXPECT_TRUE(built->root().tree().environment.parameter_defaults.is_null() ||
              built->root().tree().environment.parameter_defaults.entries().empty());
}

}  // namespace
}  // namespace hearth::metadata
