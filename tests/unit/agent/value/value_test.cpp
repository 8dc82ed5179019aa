#include "agent/value/value.hpp"

#include <gtest/gtest.h>

#include "base/python_json.hpp"

namespace hearth::agent {
namespace {

TEST(ValueTest, ValuesAreSetAsPythonSeesThem) {
  for (const char* unset : {"null", "false", "0", "0.0", "\"\"", "[]", "{}"}) {
    const Json value = parse_python_json(unset, "test").value_or_throw();
    EXPECT_FALSE(is_set(&value)) << unset;
  }
  for (const char* set : {"true", "1", "\"0\"", "[0]", "{\"a\": null}"}) {
    const Json value = parse_python_json(set, "test").value_or_throw();
    EXPECT_TRUE(is_set(&value)) << set;
  }
  EXPECT_FALSE(is_set(nullptr));
}

TEST(ValueTest, WhatCantBeAVariableIsNone) {
  Environment env;
  put_variable(env, "a=b", "x");
  put_variable(env, "a", std::string("x\0y", 3));
  put_variable(env, "", "x");
  EXPECT_TRUE(env.empty());
}

}  // namespace
}  // namespace hearth::agent
