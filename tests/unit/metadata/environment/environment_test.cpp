#include "metadata/environment/environment.hpp"

#include <gtest/gtest.h>

#include "metadata/model/fault.hpp"
#include "metadata/model/value_text.hpp"

namespace hearth::metadata {
namespace {

Environment merge(const std::vector<std::string>& texts, const Schemata& schemata) {
  Sources sources;
  std::vector<EnvironmentFile> files;
  for (const std::string& text : texts)
    files.push_back(read_environment(text, "e" + std::to_string(files.size()), sources));
  return merge_environments(files, schemata);
}

const Schemata k_schemata{{"l", DataType::list},
                          {"j", DataType::map},
                          {"s", DataType::string},
                          {"n", DataType::number},
                          {"b", DataType::boolean}};

TEST(Environment, replaces_values_of_earlier_files_as_a_whole) {
  const Environment merged = merge({"parameters: {j: {a: 1}}\n", "parameters: {j: {b: 2}}\n"}, k_schemata);
  EXPECT_EQ(json_text(merged.parameters), R"({"j": {"b": 2}})");
}

TEST(Environment, merges_by_strategy_and_type) {
  const std::string strategy = "parameter_merge_strategies: {default: merge, j: deep_merge}\n";
  const Environment merged = merge({strategy + "parameters: {l: 'a,b', j: {x: {a: [1]}}, s: p, n: 1}\n",
                                    strategy + "parameters: {l: c, j: {x: {a: [2], b: 3}}, s: q, n: 2}\n"},
                                   k_schemata);
  EXPECT_EQ(json_text(merged.parameters), R"({"l": "a,b,c", "j": {"x": {"a": [1, 2], "b": 3}}, "s": "pq", "n": 3})");
}

TEST(Environment, refuses_strategies_that_differ_between_files) {
  EXPECT_THROW(
      (void)merge({"parameters: {l: a}\n", "parameter_merge_strategies: {l: merge}\nparameters: {l: b}\n"}, k_schemata),
      Fault);
}

TEST(Environment, names_wrong_and_empty_sections) {
  EXPECT_THROW((void)merge({"parameter: {a: 1}\nparameters: {}\n"}, {}), Fault);
  EXPECT_THROW((void)merge({"parameters:\n"}, {}), Fault);
}

TEST(Environment, takes_an_old_flat_file_for_parameters) {
  EXPECT_EQ(json_text(merge({"a: 1\n"}, {}).parameters), R"({"a": 1})");
}

TEST(Environment, drops_null_entries_of_later_registries) {
  const Environment merged = merge({"resource_registry: {A: x.yaml, resources: {r: {B: y.yaml}}}\n",
                                    "resource_registry: {A: null, resources: {s: {C: z.yaml}}}\n"},
                                   {});
  EXPECT_EQ(json_text(merged.resource_registry), R"({"A": "x.yaml", "resources": {"s": {"C": "z.yaml"}}})");
}

}  // namespace
}  // namespace hearth::metadata
