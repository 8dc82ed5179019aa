#include <gtest/gtest.h>

#include "base/text.hpp"
#include "metadata/compile/validation.hpp"
#include "tests/unit/metadata/stack_fixture.hpp"

namespace hearth::metadata {
namespace {

/// Each file has a group of `each` of the next one; how many faults that has, and how many resources were made.
std::pair<std::size_t, std::size_t> faults_and_resources_of_files(const std::string& each) {
  const auto group = [&](const std::string& of) {
    return cat(
        "heat_template_version: 2018-08-31\nparameters: {n: {type: number, default: 500}}\nconditions: {few: "
        "{equals: [{get_param: n}, 1]}}\nresources:\n  g: {type: OS::Heat::ResourceGroup, properties: {count: ",
        each, ", resource_def: {type: ", of,
        ", properties: {n: {get_param: n}}}}}\n  h: {type: top.yaml, condition: few}\n");
  };
  const auto built = build(
      {{"top.yaml", group("mid.yaml")}, {"mid.yaml", group("inner.yaml")}, {"inner.yaml", group("OS::Heat::None")}});
  const std::size_t count = validate_stack(built->root()).size();
  return {count, built->model.tree->by_id.size()};
}

TEST(Foresight, refuses_groups_of_files_that_hold_groups_while_the_tree_is_small) {
  for (const std::string each : {"1000", "{get_param: n}", "{yaql: {expression: $.data * 2, data: {get_param: n}}}"}) {
    const auto [faults, made] = faults_and_resources_of_files(each);
    EXPECT_EQ(faults, 1U) << each;
    EXPECT_LE(made, 10'000U) << each << ": each takes memory";
  }
  EXPECT_EQ(faults_and_resources_of_files("27"),
            std::make_pair(std::size_t{0}, std::size_t{1 + 27 * (2 + 27 * (2 + 27))}))
      << "looked ahead in, and good";
}

TEST(Foresight, refuses_files_that_name_each_other_many_times_while_the_tree_is_small) {
  std::map<std::string, std::string> files{{"f9.yaml", "heat_template_version: 2018-08-31\n"}};
  for (int i = 0; i < 9; ++i) {
    std::string& text = files[i == 0 ? "top.yaml" : cat("f", i, ".yaml")] =
        "heat_template_version: 2018-08-31\nresources:\n";
    for (int times = 0; times < 10; ++times) text += cat("  r", times, ": {type: f", i + 1, ".yaml}\n");
  }
  const auto built = build(files);
  EXPECT_EQ(validate_stack(built->root()).size(), 1U);
  EXPECT_LE(built->model.tree->by_id.size(), 10'000U);
}

/// What index or run tell may let most members be without: then only what is made counts.
TEST(Foresight, looks_ahead_at_nothing_that_members_differ_in) {
  const auto built = build({{"top.yaml",
                             "heat_template_version: 2018-08-31\nresources:\n  g: {type: OS::Heat::ResourceGroup, "
                             "properties: {count: 15000, "
                             "resource_def: {type: node.yaml, properties: {i: '%index%'}}}}\n"},
                            {"node.yaml",
                             "heat_template_version: 2018-08-31\nparameters: {i: {type: string}}\nconditions: {first: "
                             "{equals: [{get_param: i}, "
                             "'0']}}\nresources:\n  g: {type: OS::Heat::ResourceGroup, condition: first, properties: "
                             "{count: 50, resource_def: "
                             "{type: OS::Heat::None}}}\n"}});
  EXPECT_EQ(validate_stack(built->root()).size(), 0U);
  EXPECT_EQ(built->model.tree->by_id.size(), 1U + 15'000U + 1 + 50);
}

}  // namespace
}  // namespace hearth::metadata
