#include "base/yaml_scalar.hpp"

#include <gtest/gtest.h>

namespace hearth {
namespace {

std::string digits(std::string_view text) {
  const YamlScalar scalar = resolve_yaml_scalar(text);
  const auto* integer = std::get_if<YamlInteger>(&scalar);
  return integer == nullptr ? "no integer" : integer->digits;
}

TEST(YamlScalar, IntegersAreOfAnySizeAndBase) {
  EXPECT_EQ(digits("0755"), "493");
  EXPECT_EQ(digits("-0x1ffffffffffffffff"), "-36893488147419103231");
  EXPECT_EQ(digits("1_000"), "1000");
  EXPECT_EQ(digits("190:20:30"), "685230");
  for (const char* text : {"08", "0o755", "1.0", "0x", "1:60", "-"}) EXPECT_EQ(digits(text), "no integer") << text;
}

TEST(YamlScalar, WordsAndDatesAreTextAndTruthValuesAreNot) {
  for (const char* text : {"y", "yEs", "1e3", "2013-05-23", "1.0e3", "nUll"}) EXPECT_TRUE(is_yaml_text(text)) << text;
  for (const char* text : {"Yes", "OFF", "1.0e+3", ".inf", "~", "", "Null"}) EXPECT_FALSE(is_yaml_text(text)) << text;
}

TEST(YamlScalar, ATagDecidesWhatATextIs) {
  const auto text = resolve_yaml_scalar("0755", "str");
  ASSERT_TRUE(text);
  EXPECT_EQ(std::get<std::string>(*text), "0755");
  EXPECT_FALSE(resolve_yaml_scalar("web", "int"));
  EXPECT_FALSE(resolve_yaml_scalar("maybe", "bool"));
}

}  // namespace
}  // namespace hearth
