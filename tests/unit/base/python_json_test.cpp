#include "base/python_json.hpp"

#include <gtest/gtest.h>

#include <cmath>

namespace hearth {
namespace {

Json parsed(std::string_view text) { return parse_python_json(text, "test").value_or_throw(); }

TEST(PythonJson, DefaultFormHasPythonsSeparatorsAndEscapes) {
  EXPECT_EQ(python_json(parsed(R"({"a":[1,null,true,"x"],"b":{}, "c":[]})")),
            R"({"a": [1, null, true, "x"], "b": {}, "c": []})");
  EXPECT_EQ(python_json(Json("é\n\x01\"\\/\x7f😀")), "\"\\u00e9\\n\\u0001\\\"\\\\/\\u007f\\ud83d\\ude00\"");
}

TEST(PythonJson, IndentedFormBreaksLinesButNotEmptyContainers) {
  const Json value = parsed(R"({"b": [1, {}], "a": {"x": []}})");
  EXPECT_EQ(python_json(value, {.indent = 2}),
            "{\n  \"b\": [\n    1,\n    {}\n  ],\n  \"a\": {\n    \"x\": []\n  }\n}");
  EXPECT_EQ(python_json(value, {.indent = 1, .sort_keys = true}),
            "{\n \"a\": {\n  \"x\": []\n },\n \"b\": [\n  1,\n  {}\n ]\n}");
}

TEST(PythonJson, FloatsHavePythonsShortestForm) {
  EXPECT_EQ(python_json(parsed("[1.0,1e22,1e-5,0.0001,1e15,1e16,-0.0,1.5]")),
            "[1.0, 1e+22, 1e-05, 0.0001, 1000000000000000.0, 1e+16, -0.0, 1.5]");
}

TEST(PythonJson, IntegersOfAnySizeStayExact) {
  const std::string text = "[18446744073709551615, 18446744073709551616, -9223372036854775809, 0]";
  EXPECT_EQ(python_json(parsed(text)), text);
  EXPECT_EQ(python_text(parsed(text)), text);
}

TEST(PythonJson, NotANumberAndInfinityAreReadAndWritten) {
  EXPECT_EQ(python_json(parsed("[NaN, Infinity, -Infinity, 1e999]")), "[NaN, Infinity, -Infinity, Infinity]");
  EXPECT_EQ(python_text(parsed("[NaN, -Infinity]")), "[nan, -inf]");
}

TEST(PythonJson, ARepeatedKeyKeepsItsFirstPlaceAndLastValue) {
  EXPECT_EQ(python_json(parsed(R"({"a": 1, "b": 2, "a": 3})")), R"({"a": 3, "b": 2})");
  std::string many = "{";
  for (int i = 0; i < 100; ++i) many += "\"k" + std::to_string(i % 50) + "\": " + std::to_string(i) + ", ";
  const Json object = parsed(many + "\"end\": 0}");
  EXPECT_EQ(object.size(), 51U);
  EXPECT_EQ(object.at("k0"), 50);
  EXPECT_EQ(object.begin().key(), "k0");
}

TEST(PythonJson, LoneSurrogatesAreReplaced) {
  EXPECT_EQ(parsed(R"("\ud800x\udc00")").get<std::string>(), "\xef\xbf\xbdx\xef\xbf\xbd");
  EXPECT_EQ(parsed(R"("\ud83d\ude00")").get<std::string>(), "😀");
}

TEST(PythonJson, ErrorsHavePythonsTextAndPlace) {
  const auto error = [](std::string_view text) { return parse_python_json(text, "f").error().text(); };
  EXPECT_EQ(error(""), "f:1:1: Expecting value");
  EXPECT_EQ(error("{\n \"é\" 1}"), "f:2:6: Expecting ':' delimiter");
  EXPECT_EQ(error("[1,]"), "f:1:4: Expecting value");
  EXPECT_EQ(error("[01]"), "f:1:3: Expecting ',' delimiter");
  EXPECT_EQ(error("{} x"), "f:1:4: Extra data");
  EXPECT_EQ(error("\"ab"), "f:1:1: Unterminated string starting at");
  EXPECT_EQ(error("\"a\nb\""), "f:1:3: Invalid control character at");
  EXPECT_EQ(error("\"\\u12\""), "f:1:3: Invalid \\uXXXX escape");
  EXPECT_EQ(error("\xef\xbb\xbf{}"), "f:1:1: Unexpected UTF-8 BOM");
  EXPECT_EQ(error("\"\xff\""), "f: not valid UTF-8");
}

TEST(PythonJson, DeepNestingIsRefusedNotCrashedOn) {
  EXPECT_TRUE(parse_python_json(std::string(500, '[') + std::string(500, ']'), "f").ok());
  EXPECT_FALSE(parse_python_json(std::string(100000, '['), "f").ok());
}

TEST(PythonText, IsPythonsStr) {
  EXPECT_EQ(python_text(parsed("true")), "True");
  EXPECT_EQ(python_text(parsed("null")), "None");
  EXPECT_EQ(python_text(Json("as is\n")), "as is\n");
  EXPECT_EQ(python_text(parsed(R"({"a": null, "b": ["x'y", false, "q\"", "both'\""]})")),
            R"({'a': None, 'b': ["x'y", False, 'q"', 'both\'"']})");
  EXPECT_EQ(python_text(parsed(R"(["é\u0000\u00a0\u200b\ud83d\ude00\uE000"])")), "['é\\x00\\xa0\\u200b😀\\ue000']");
}

// What Python's repr() prints for these.
TEST(PythonJson, FloatsAreTheShortestThatReadBack) {
  const std::vector<std::pair<double, std::string>> cases = {{0.1, "0.1"},
                                                             {0.30000000000000004, "0.30000000000000004"},
                                                             {5e-324, "5e-324"},
                                                             {1.7976931348623157e308, "1.7976931348623157e+308"},
                                                             {5.684341886080802e-14, "5.684341886080802e-14"},
                                                             {9007199254740993.0, "9007199254740992.0"},
                                                             {123456789012345680.0, "1.2345678901234568e+17"},
                                                             {-0.0001, "-0.0001"},
                                                             {9.5, "9.5"},
                                                             {100.0, "100.0"},
                                                             {0.0, "0.0"}};
  for (const auto& [number, text] : cases) EXPECT_EQ(python_json(Json(number)), text);
}

}  // namespace
}  // namespace hearth
