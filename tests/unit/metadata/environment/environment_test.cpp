#include "metadata/environment/environment.hpp"

#include <gtest/gtest.h>

#include "base/text.hpp"
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
  const Environment merged = merge({strategy + "parameters: {l: 'a,b', j: {x: {a: [1]}}, s: p, n: '1'}\n",
                                    strategy + "parameters: {l: c, j: {x: {a: [2], b: 3}}, s: q, n: '2'}\n"},
                                   k_schemata);
  EXPECT_EQ(json_text(merged.parameters), R"({"l": "a,b,c", "j": {"x": {"a": [1, 2], "b": 3}}, "s": "pq", "n": "12"})");
}

TEST(Environment, refuses_to_merge_what_the_real_heat_can_not_merge) {
  const auto type = [](const std::string& name, const std::string& first, const std::string& second) -> std::string {
    const std::string strategy = "parameter_merge_strategies: {default: merge}\n";
    try {
      (void)merge({cat(strategy, "parameters: {", name, ": ", first, "}\n"),
                   cat(strategy, "parameters: {", name, ": ", second, "}\n")},
                  k_schemata);
    } catch (const Fault& fault) {
      return fault.type();
    }
    return "";
  };
  EXPECT_EQ(type("n", "1", "2"), "ValueError");
  EXPECT_EQ(type("n", "1", "'2'"), "TypeError");
  EXPECT_EQ(type("l", "a", "[b]"), "AttributeError");
  EXPECT_EQ(type("l", "[a]", "b"), "TypeError");
  EXPECT_EQ(type("j", "'{\"a\": 1}'", "{b: 2}"), "TypeError");
  EXPECT_EQ(type("j", "{a: 1}", "[2]"), "AttributeError");
  EXPECT_EQ(type("s", "[a]", "b"), "TypeError");
}

TEST(Environment, takes_any_word_for_a_default_strategy_and_then_overwrites) {
  const std::string other = "parameter_merge_strategies: {default: other}\n";
  EXPECT_EQ(json_text(merge({other + "parameters: {l: a}\n", other + "parameters: {l: b}\n"}, k_schemata).parameters),
            R"({"l": "b"})");
  EXPECT_THROW((void)merge({other + "parameters: {l: a}\n", "parameters: {l: b}\n",
                            "parameter_merge_strategies: {l: merge}\nparameters: {l: c}\n"},
                           k_schemata),
               Fault);
}

TEST(Environment, merges_into_parameters_that_were_given_before_it) {
  const std::string text = "parameter_merge_strategies: {l: merge}\nparameters: {l: b, unknown: 1}\n";
  Sources sources;
  const Environment merged =
      merge_environments({read_environment(text, "e", sources)}, k_schemata, map_of({{"l", Value::string("a")}}));
  EXPECT_EQ(json_text(merged.parameters), R"({"l": "a,b"})");
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

/// Each file is put into what all before it came to.
TEST(Environment, refuses_files_that_come_to_too_much) {
  Sources sources;
  std::string text = "parameter_defaults:\n";
  for (int i = 0; i < 1000; ++i) text += cat("  a", i, ": 1\n");
  const EnvironmentFile file = read_environment(text, "e.yaml", sources, false);
  EXPECT_EQ(merge_environments(std::vector<EnvironmentFile>(100, file), {}, Value::map({}))
                .parameter_defaults.entries()
                .size(),
            1000U);
  try {
    (void)merge_environments(std::vector<EnvironmentFile>(20'000, file), {}, Value::map({}));
    ADD_FAILURE();
  } catch (const Fault& fault) {
    EXPECT_EQ(fault.text(), "to merge the environment files up to e.yaml takes more than 256 MiB");
    EXPECT_EQ(fault.mark().line, 1U);
  }
}

}  // namespace
}  // namespace hearth::metadata
