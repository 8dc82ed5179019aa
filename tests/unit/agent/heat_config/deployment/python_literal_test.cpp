#include "agent/heat_config/deployment/python_literal.hpp"

#include <gtest/gtest.h>

#include "base/python_json.hpp"

namespace hearth::agent {
namespace {

std::string read(const std::string& text) {
  const Result<Json> value = parse_python_literal(text, "x");
  return value ? python_json(*value) : "error " + value.error().text();
}

TEST(PythonLiteralTest, WhatPythonPrintsIsRead) {
  EXPECT_EQ(read(R"([{'a': None, "b": ("x'y", False, True,), u'c': -1.5e3}, [], {}])"),
            R"([{"a": null, "b": ["x'y", false, true], "c": -1500.0}, [], {}])");
  EXPECT_EQ(read("  12345678901234567890123 "), "12345678901234567890123");
}

TEST(PythonLiteralTest, StringsHaveEscapesAndJoin) {
  EXPECT_EQ(read(R"('a\n\t\'\x41\u00e9\U0001f600\q' "b" r'\n')"), R"("a\n\t'A\u00e9\ud83d\ude00\\qb\\n")");
  EXPECT_EQ(read("'''a\n'b'''"), R"("a\n'b")");
}

TEST(PythonLiteralTest, AnythingElseIsRefusedWithItsPlace) {
  EXPECT_EQ(read("[1, open('x')]"), "error x:1:5: this is no literal");
  for (const char* bad : {"", "[1", "{'a' 1}", "{1: 2}", "'abc", "'a\\x4'", "'a\\", "[{'\\", "'\\x", "1 2", "[,]",
                          "__import__", "true"}) {
    EXPECT_EQ(read(bad).substr(0, 5), "error") << bad;
  }
  EXPECT_EQ(read(std::string(1000, '[')).substr(0, 5), "error");
}

}  // namespace
}  // namespace hearth::agent
