#include "metadata/live/value_json.hpp"

#include <gtest/gtest.h>

#include "base/error.hpp"

namespace hearth::metadata::live {
namespace {

TEST(ValueJson, GoesThereAndBack) {
  const Json json = Json::parse(R"({"b": [1, -2, 1.5, true, null, "x"], "a": {"z": 18446744073709551615}})");
  EXPECT_EQ(to_json(to_value(json))["b"], json["b"]);
  EXPECT_EQ(to_json(to_value(json)).begin().key(), "b");
  EXPECT_DOUBLE_EQ(to_json(to_value(json))["a"]["z"].get<double>(), 18446744073709551615.0);
}

TEST(ValueJson, OfTwoKeysThatAreOneNameTheLastWinsAmongManyThousandsToo) {
  MapBuilder members;
  for (int i = 0; i < 150'000; ++i) members.set(Value::integer(i), Value::integer(i));
  members.set("7", Value::integer(-7));
  const Json json = to_json(Value::map(std::move(members)));
  EXPECT_EQ(json.size(), 150'000U);
  EXPECT_EQ(json["7"], -7);
  EXPECT_EQ(json["149999"], 149'999);
}

TEST(ValueJson, WhatWaitsSaysForWhat) {
  try {
    (void)to_json(Value::list({Value::waiting({{"a.Dep", "result"}})}));
    FAIL();
  } catch (const Error& error) {
    EXPECT_STREQ(error.what(), "a value waits for a.Dep.result");
  }
}

}  // namespace
}  // namespace hearth::metadata::live
