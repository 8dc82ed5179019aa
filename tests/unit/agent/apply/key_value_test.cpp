#include "agent/apply/key_value.hpp"

#include <gtest/gtest.h>

#include "base/python_json.hpp"

namespace hearth::agent {
namespace {

TEST(KeyValue, KeysWalkThroughObjectsAndLists) {
  const Json document = parse_python_json(R"({"a": {"b": [1, {"c": "x"}], "n": null}})", "r").value_or_throw();
  const JsonRoot root(document);
  EXPECT_EQ(*find_key(root, "a.b.0"), 1);
  EXPECT_EQ(*find_key(root, "a.b.-1.c"), "x");
  for (const char* key : {"a.n", "a.b.2", "a.b.-3", "a.b.x", "a.b.", "z", "a.b.0.c", ""})
    EXPECT_EQ(find_key(root, key), nullptr) << key;
}

TEST(KeyValue, TypesAcceptTheirFormsOnly) {
  EXPECT_TRUE(matches_key_type("12\n", "int"));
  EXPECT_FALSE(matches_key_type("12\n\n", "int"));
  EXPECT_FALSE(matches_key_type("-1", "int"));
  EXPECT_TRUE(matches_key_type("", "default"));
  EXPECT_FALSE(matches_key_type("a b", "default"));
  EXPECT_TRUE(matches_key_type("10.0.0.1/24", "netaddress"));
  EXPECT_FALSE(matches_key_type("", "username"));
  EXPECT_TRUE(matches_key_type("mysql://u:p@h:3306/db?x=y", "raw"));
  EXPECT_FALSE(matches_key_type("x", "nonsense"));
}

TEST(KeyValue, AVeryLongValueIsCheckedWithoutRecursion) {
  EXPECT_TRUE(matches_key_type(std::string(5'000'000, '1'), "int"));
  EXPECT_TRUE(matches_key_type(std::string(5'000'000, 'a'), "default"));
}

TEST(KeyValue, PrintsContainersAndBooleansAsJson) {
  EXPECT_EQ(printed_value(Json(true)), "true");
  EXPECT_EQ(printed_value(Json("a")), "a");
  EXPECT_EQ(printed_value(Json(1.0)), "1.0");
  EXPECT_EQ(printed_value(Json::array({"é"})), "[\"\\u00e9\"]");
}

}  // namespace
}  // namespace hearth::agent
