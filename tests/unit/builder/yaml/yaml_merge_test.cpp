#include "builder/yaml/yaml_merge.hpp"

#include <gmock/gmock.h>

#include "base/text.hpp"

namespace hearth::builder {
namespace {

using testing::HasSubstr;

/// "key=value" of a mapping, in its order.
std::string pairs(const YAML::Node& map) {
  std::string text;
  for (const auto& pair : map) {
    text += cat(text.empty() ? "" : " ", pair.first.Scalar(), "=", pair.second.IsScalar() ? pair.second.Scalar() : "…");
  }
  return text;
}

std::string merge_refusal(const std::string& text) {
  try {
    (void)load_yaml(text);
  } catch (const YAML::Exception& error) {
    return cat(error.mark.line + 1, ":", error.mark.column + 1, ": ", error.msg);
  }
  return "";
}

TEST(YamlMerge, OwnKeysWinAndOthersAreAdded) {
  const YAML::Node root = load_yaml("base: &b {x: 1, y: 2}\nmore:\n  <<: *b\n  y: 3\n");
  EXPECT_EQ(pairs(root["more"]), "y=3 x=1");
  EXPECT_EQ(pairs(root["base"]), "x=1 y=2");
}

TEST(YamlMerge, OfAListTheFirstWins) {
  EXPECT_EQ(pairs(load_yaml("a: &a {x: 1}\nb: &b {x: 2, z: 4}\nc: {<<: [*a, *b]}\n")["c"]), "x=1 z=4");
}

TEST(YamlMerge, WhatIsMergedIsMergedItself) {
  EXPECT_EQ(pairs(load_yaml("- &a {x: 1}\n- &b {<<: *a, y: 2}\n- {<<: *b}\n")[2]), "y=2 x=1");
}

TEST(YamlMerge, AQuotedKeyIsAKey) { EXPECT_EQ(pairs(load_yaml("'<<': x\n")), "<<=x"); }

TEST(YamlMerge, AMergeOfATextIsRefusedWithItsPlace) {
  EXPECT_THAT(merge_refusal("a:\n  <<: text\n"), HasSubstr("2:3: '<<' must name a mapping"));
  EXPECT_THAT(merge_refusal("<<: [text]\n"), HasSubstr("must name a mapping"));
}

TEST(YamlMerge, WhatNothingClosesIsRefusedWhereItWasOpened) {
  EXPECT_THAT(merge_refusal("- a: b\n  c: [x, y\n  d: [z]\n"), HasSubstr("2:6: this '[' is not closed"));
  EXPECT_THAT(merge_refusal("- a: b\n  c: {x: y\n"), HasSubstr("2:6: this '{' is not closed"));
  EXPECT_EQ(merge_refusal("a: \"b\nc: d\n"), "1:4: this quote (\") is not closed") << "yaml-cpp takes it as a text";
  EXPECT_EQ(merge_refusal("a: b\n  'tis\n"), "") << "of a text without quotes it is a character as any other";
}

TEST(YamlMerge, AColonThatIsMissingIsToldInTheLineThatLacksIt) {
  EXPECT_EQ(merge_refusal("# names\nshop-web\n  default: x\n"), "2:9: a colon is missing behind 'shop-web'");
  EXPECT_EQ(merge_refusal("a: b\n- c\n  d: e\n").find("a colon is missing"), std::string::npos);
  EXPECT_THAT(merge_refusal("a: b: c\n"), testing::Not(HasSubstr("a colon is missing")));
}

TEST(YamlMerge, AliasesThatDoubleEndInARefusal) {
  std::string text = "a0: &a0 {k: v, <<: {}}\n";
  for (int i = 1; i < 40; ++i) text += cat("a", i, ": &a", i, " {l: *a", i - 1, ", r: *a", i - 1, "}\n");
  EXPECT_THAT(merge_refusal(text), HasSubstr("too much"));
}

}  // namespace
}  // namespace hearth::builder
