#include "metadata/model/json_reader.hpp"

#include <gtest/gtest.h>

#include "metadata/model/value_text.hpp"

namespace hearth::metadata {
namespace {

TEST(JsonReader, reads_what_python_reads_with_positions) {
  const Result<Value> value = parse_json_value("{\"a\": [1, 2.5,\n NaN], \"a\": \"\\u00e9\"}", "t", 3);
  ASSERT_TRUE(value);
  EXPECT_EQ(json_text(*value), R"({"a": "\u00e9"})");
  EXPECT_EQ(value->find("a")->mark(), (Mark{3, 2, 13}));
}

TEST(JsonReader, complains_in_pythons_words) {
  const auto text = [](const std::string& json) { return json_error_text(parse_json_value(json, "t").error(), json); };
  EXPECT_EQ(text("nope"), "Expecting value: line 1 column 1 (char 0)");
  EXPECT_EQ(text("{\"a\" 1}"), "Expecting ':' delimiter: line 1 column 6 (char 5)");
  EXPECT_EQ(text("[1,\n 2} "), "Expecting ',' delimiter: line 2 column 3 (char 6)");
  EXPECT_EQ(text("1 2"), "Extra data: line 1 column 3 (char 2)");
}

TEST(JsonReader, refuses_to_exhaust_the_stack) { EXPECT_FALSE(parse_json_value(std::string(100000, '['), "t")); }

}  // namespace
}  // namespace hearth::metadata
