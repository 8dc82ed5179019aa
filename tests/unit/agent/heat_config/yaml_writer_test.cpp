#include "agent/heat_config/yaml_writer.hpp"

#include <gtest/gtest.h>

#include "base/python_json.hpp"

namespace hearth::agent {
namespace {

std::string yaml(const std::string& json) { return yaml_text(parse_python_json(json, "test").value_or_throw()); }

TEST(YamlWriterTest, KeysAreSortedAndDashesStandBelowTheirKey) {
  EXPECT_EQ(yaml(R"({"b": {"c": [1, {"x": 1, "a": [2]}, [3, [4]]]}, "a": {}, "e": []})"),
            "a: {}\nb:\n  c:\n  - 1\n  - a:\n    - 2\n    x: 1\n  - - 3\n    - - 4\ne: []\n");
}

TEST(YamlWriterTest, TextsThatWouldReadAsSomethingElseAreQuoted) {
  EXPECT_EQ(
      yaml(
          R"(["yes", "1", "a: b", "#c", "", "10:30", "x#y", "it's", "- a", "null", "2020-01-01", " a", "'q'", "a:b"])"),
      "- 'yes'\n- '1'\n- 'a: b'\n- '#c'\n- ''\n- '10:30'\n- x#y\n- it's\n- '- a'\n- 'null'\n- '2020-01-01'\n- ' a'\n"
      "- '''q'''\n- a:b\n");
  EXPECT_EQ(yaml(R"({"n": null, "t": true, "f": 1.5, "e": 1e22, "on": 1})"),
            "e: 1.0e+22\nf: 1.5\nn: null\n'on': 1\nt: true\n");
}

TEST(YamlWriterTest, LineBreaksAreDoubledAndOddCharactersEscaped) {
  EXPECT_EQ(yaml(R"({"a": "x\ny\n"})"), "a: 'x\n\n  y\n\n  '\n");
  EXPECT_EQ(yaml(R"({"a": "é\t\u2028😀"})"), "a: \"\\xE9\\t\\L\\U0001F600\"\n");
}

TEST(YamlWriterTest, KeysThatDoNotFitALineHaveAQuestionMark) {
  EXPECT_EQ(yaml(R"({"": {"a": [1]}, "x\ny": [1, 2]})"), "? ''\n: a:\n  - 1\n? 'x\n\n  y'\n: - 1\n  - 2\n");
}

TEST(YamlWriterTest, LongLinesAreFoldedAtABlank) {
  const std::string words = "word word word word word word word word word word word word word word word word end of it";
  EXPECT_EQ(yaml("{\"a\": \"" + words + "\"}"),
            "a: word word word word word word word word word word word word word word word word\n  end of it\n");
}

}  // namespace
}  // namespace hearth::agent
