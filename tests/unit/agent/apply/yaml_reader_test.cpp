#include "agent/apply/yaml_reader.hpp"

#include <gtest/gtest.h>

#include "base/python_json.hpp"
#include "base/text.hpp"

namespace hearth::agent {
namespace {

std::string yaml(const std::string& text) {
  const Result<Json> parsed = parse_yaml11(text, "y");
  return parsed ? python_json(*parsed) : "error";
}

TEST(YamlReader, IntegersFollowYaml11) {
  EXPECT_EQ(yaml("[0755, 0x1f, 0b101, 1_000, 1:30, -5, +3, 0, 0o755, 08, 190:20:30]"),
            "[493, 31, 5, 1000, 90, -5, 3, 0, \"0o755\", \"08\", 685230]");
  EXPECT_EQ(yaml("99999999999999999999"), "99999999999999999999");
  EXPECT_EQ(yaml("[0x1ffffffffffffffff, -0x8000000000000000]"), "[36893488147419103231, -9223372036854775808]");
}

TEST(YamlReader, WordsForBooleansAndNull) {
  EXPECT_EQ(yaml("[yes, No, ON, off, True, y, n, ~, null, NULL, '']"),
            "[true, false, true, false, true, \"y\", \"n\", null, null, null, \"\"]");
  EXPECT_EQ(yaml("a:\nb: ''"), R"({"a": null, "b": ""})");
}

TEST(YamlReader, FloatsNeedADotAndSignedExponent) {
  EXPECT_EQ(yaml("[1.5, .5, 1., 1e3, 1.0e+3, 1.0e3, .inf, -.inf, .nan]"),
            "[1.5, 0.5, 1.0, \"1e3\", 1000.0, \"1.0e3\", Infinity, -Infinity, NaN]");
}

TEST(YamlReader, QuotedScalarsAreText) { EXPECT_EQ(yaml("['0755', \"yes\", '~']"), R"(["0755", "yes", "~"])"); }

TEST(YamlReader, MergeKeysDoNotOverride) {
  EXPECT_EQ(yaml("base: &b {a: 1, c: 2}\nuse:\n  <<: *b\n  a: 3\n"),
            R"({"base": {"a": 1, "c": 2}, "use": {"a": 3, "c": 2}})");
}

TEST(YamlReader, AliasesOfAliasesHaveAnEnd) {
  std::string text = "a0: &a0 [x, x, x, x, x, x, x, x, x, x]\n";
  for (char level = '1'; level <= '8'; ++level) {
    text += cat("a", level, ": &a", level, " [");
    for (int i = 0; i < 10; ++i) text += cat("*a", static_cast<char>(level - 1), i < 9 ? ", " : "]\n");
  }
  const Result<Json> parsed = parse_yaml11(text, "y");
  ASSERT_FALSE(parsed.ok());
  EXPECT_EQ(parsed.error().what, "too many values");
}

TEST(YamlReader, BadTextIsAnErrorWithItsPlace) {
  const Result<Json> bad = parse_yaml11("a: 1\nb: [", "f.oac");
  ASSERT_FALSE(bad.ok());
  EXPECT_EQ(bad.error().source, "f.oac");
  EXPECT_GT(bad.error().at.line, 0);
}

}  // namespace
}  // namespace hearth::agent
