#include "base/json.hpp"

#include <gtest/gtest.h>

#include "base/text.hpp"

namespace hearth {
namespace {

TEST(ParseJson, KeepsTheOrderOfKeys) {
  const Result<Json> json = parse_json(R"({"b": 1, "a": [true, null]})", "x");
  ASSERT_TRUE(json.ok());
  EXPECT_EQ(json->dump(), R"({"b":1,"a":[true,null]})");
}

TEST(ParseJson, OfNamesThatAreThereTwiceTheLastValueCountsAtTheFirstsPlace) {
  EXPECT_EQ(parse_json(R"({"a": 1, "b": {"c": 2}, "a": {"d": [3]}})", "x")->dump(), R"({"a":{"d":[3]},"b":{"c":2}})");
  std::string many = "{";
  for (int i = 0; i < 60; ++i) many += cat("\"n", i % 50, "\":", i, ",");
  const Result<Json> json = parse_json(many + "\"z\":0}", "x");
  ASSERT_TRUE(json.ok());
  EXPECT_EQ(json->size(), 51U);
  EXPECT_EQ(json->begin().key(), "n0");
  EXPECT_EQ((*json)["n0"], 50);
  EXPECT_EQ((*json)["n49"], 49);
}

/// Whoever looks through all earlier names for each is not done in minutes; and a seed reads what its machines send.
TEST(ParseJson, ReadsAMillionNames) {
  std::string text = "{";
  for (int i = 0; i < 1'000'000; ++i) text += cat("\"name-", i, "\":1,");
  EXPECT_EQ(parse_json(text + "\"z\":0}", "x")->size(), 1'000'001U);
}

TEST(ParseJson, GivesLineAndColumnOfTheError) {
  const Result<Json> json = parse_json("{\"a\": 1,\n \"b\": }", "conf.json");
  ASSERT_FALSE(json.ok());
  EXPECT_EQ(json.error().at, (Position{2, 7}));
  EXPECT_EQ(json.error().text().substr(0, 15), "conf.json:2:7: ");
  EXPECT_EQ(json.error().what.find("parse_error"), std::string::npos) << json.error().what;
}

TEST(ParseJson, RefusesAnUnfinishedOrEmptyDocument) {
  EXPECT_FALSE(parse_json("", "x").ok());
  EXPECT_FALSE(parse_json("[1, 2", "x").ok());
  EXPECT_FALSE(parse_json("[1] trailing", "x").ok());
}

TEST(ParseJson, RefusesBytesThatAreNotUtf8) { EXPECT_FALSE(parse_json("\"\xff\"", "x").ok()); }

TEST(ParseJson, RefusesANumberThatNoDoubleHolds) {
  const Result<Json> json = parse_json("[1e999]", "x");
  ASSERT_FALSE(json.ok());
  EXPECT_NE(json.error().text().find("number overflow"), std::string::npos) << json.error().text();
}

TEST(ParseJson, RefusesNestingThatWouldExhaustTheStack) {
  EXPECT_TRUE(parse_json(cat(std::string(500, '['), std::string(500, ']')), "x").ok());
  const Result<Json> deep = parse_json(cat(std::string(100'000, '['), std::string(100'000, ']')), "x");
  ASSERT_FALSE(deep.ok());
  EXPECT_EQ(deep.error().what, "nested deeper than 512 levels");
}

}  // namespace
}  // namespace hearth
