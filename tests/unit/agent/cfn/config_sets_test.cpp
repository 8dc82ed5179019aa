#include "agent/cfn/config_sets.hpp"

#include <gtest/gtest.h>

#include "base/error.hpp"
#include "base/python_json.hpp"
#include "base/text.hpp"

namespace hearth::agent {
namespace {

std::string sections(const std::string& init, const std::string& selected = "") {
  try {
    return join(sections_to_apply(parse_python_json(init, "x").value_or_throw(), selected), " ");
  } catch (const Error& error) {
    return std::string("error: ") + error.what();
  }
}

TEST(ConfigSetsTest, WithoutSetsTheSectionIsConfig) {
  EXPECT_EQ(sections("{}"), "config");
  EXPECT_EQ(sections("{}", "a"), "error: Template has no configSets");
}

TEST(ConfigSetsTest, SetsAreListsOfSectionsAndSets) {
  const std::string init = R"({"configSets": {"default": ["a", {"ConfigSet": "more"}, "z"], "more": ["m", "n"]}})";
  EXPECT_EQ(sections(init), "a m n z");
  EXPECT_EQ(sections(init, "more, default"), "m n a m n z");
}

TEST(ConfigSetsTest, WhatIsNotThereOrInACircleIsAnError) {
  EXPECT_EQ(sections(R"({"configSets": {"a": ["x"]}})"), "error: Template has no default configSet, must specify");
  EXPECT_EQ(sections(R"({"configSets": {"a": ["x"]}})", "b"),
            "error: Requested configSet 'b' not in configSets section");
  EXPECT_EQ(sections(R"({"configSets": {"a": [{"ConfigSet": "b"}]}})", "a"),
            "error: Undefined ConfigSet 'b' referenced");
  EXPECT_EQ(sections(R"({"configSets": {"a": [3]}})", "a"), "error: invalid ConfigSets metadata");
  EXPECT_EQ(sections(R"({"configSets": {"a": []}})", "a"), "error: Requested configSet a empty?");
  EXPECT_EQ(sections(R"({"configSets": {"a": [{"ConfigSet": "a"}]}})", "a"),
            "error: the configSets refer to each other in a circle");
}

}  // namespace
}  // namespace hearth::agent
