#include "metadata/model/yaml_reader.hpp"

#include <gtest/gtest.h>

#include "metadata/model/value_text.hpp"
#include "tests/unit/metadata/case_file.hpp"

namespace hearth::metadata {
namespace {

std::string read(const std::string& text) {
  const Result<Value> value = parse_yaml(text, "t.yaml");
  return value ? json_text(*value) : value.error().text();
}

TEST(YamlReader, gives_what_the_real_heat_reads) {
  for (const Value& test : cases("yaml.json")) {
    const std::string text = of(test, "text").text();
    if (text.front() == '{') continue;  // JSON is tried first
    const Result<Value> got = parse_yaml(text, "t.yaml");
    if (test.find("error") != nullptr) {
      EXPECT_TRUE(!got || !got->is_map()) << text;
      continue;
    }
    ASSERT_TRUE(got) << text << got.error().text();
    const Value* inner = got->find("v");
    const std::string wanted = json_text(of(test, "result"));
    const std::string whole = got->is_null() ? "{}" : json_text(*got);
    EXPECT_TRUE(whole == wanted || (inner != nullptr && json_text(*inner) == wanted)) << text << whole;
  }
}

TEST(YamlReader, knows_where_each_value_stood) {
  const Result<Value> value = parse_yaml("a:\n  - x\n  - é: [1, {k: v}]\n", "t.yaml", 7);
  ASSERT_TRUE(value);
  const Value& list = *value->find("a");
  EXPECT_EQ(list.items()[0].mark(), (Mark{7, 2, 5}));
  const Value& inner = list.items()[1].entries()[0].value;
  EXPECT_EQ(inner.items()[1].find("k")->mark(), (Mark{7, 3, 16}));
}

TEST(YamlReader, names_line_and_column_of_what_is_wrong) {
  EXPECT_EQ(read("a: 1\nb: [1,, 2]\n"), "t.yaml:2:7: did not find expected node content");
  EXPECT_EQ(read("a: 1\n\tb: 2\n"), "t.yaml:2:1: a tab where the indentation of a plain text is expected");
}

TEST(YamlReader, names_what_nothing_closes_where_it_was_opened) {
  EXPECT_EQ(read("a: [b, c\nd: [e]\n"), "t.yaml:1:4: this '[' is not closed: no ']' before line 2, column 2");
  EXPECT_EQ(read("a: b\nc: {d: e\n"), "t.yaml:2:4: this '{' is not closed: no '}' before line 3, column 1");
}

TEST(YamlReader, refuses_what_libyaml_refuses) {
  for (const char* text :
       {": x\n", "a: 1\n: b\n", "%FOO\n---\na: 1\n", "%YAML 1.1\na: 1\n", "...\na: 1\n", "{: x}\n"}) {
    EXPECT_NE(read(text).find("t.yaml:"), std::string::npos) << text;
  }
}

TEST(YamlReader, folds_and_chomps_block_texts) {
  EXPECT_EQ(read("a: |\n  x\n   y\n\n\nb: >-\n  p\n  q\n\n  r\nc: |+\n  k\n\n"),
            R"({"a": "x\n y\n", "b": "p q\nr", "c": "k\n\n"})");
  EXPECT_EQ(read("a: |2\n   x\n"), R"({"a": " x\n"})");
}

TEST(YamlReader, lets_a_map_win_over_what_it_merges) {
  EXPECT_EQ(read("b: &b {x: 1, y: 2}\nc: {<<: *b, x: 3}\nd: {<<: [{x: 7}, *b]}\n"),
            R"({"b": {"x": 1, "y": 2}, "c": {"x": 3, "y": 2}, "d": {"x": 7, "y": 2}})");
}

TEST(YamlReader, refuses_control_characters_and_what_is_no_utf8_and_says_where) {
  EXPECT_NE(read("a: 1\nb: x\x01\n").find("t.yaml:2:5: control characters"), std::string::npos);
  EXPECT_NE(read("a: \x7f").find("control characters"), std::string::npos);
  EXPECT_NE(read("a: \xef\xbf\xbe").find("control characters"), std::string::npos);  // U+FFFE
  EXPECT_NE(read("\xc3\xa9: \xbc\n").find("t.yaml:1:4: this is not UTF-8"), std::string::npos);
  EXPECT_EQ(read("a: \t\xef\xbb\xbfx\r\n"), R"({"a": "\ufeffx"})");
}

TEST(YamlReader, refuses_billion_laughs_and_endless_values) {
  std::string bomb = "a0: &a0 [x, x, x, x, x, x, x, x, x, x]\n";
  for (int i = 1; i < 10; ++i) {
    const std::string before = "*a" + std::to_string(i - 1);
    bomb += "a" + std::to_string(i) + ": &a" + std::to_string(i) + " [" + before;
    for (int j = 1; j < 10; ++j) bomb += ", " + before;
    bomb += "]\n";
  }
  EXPECT_NE(read(bomb).find("when its aliases are written out"), std::string::npos);
  std::string merged = "x: &x {";
  for (int i = 0; i < 20'000; ++i) merged += "k" + std::to_string(i) + ": 1, ";
  merged += "}\ny:\n";
  for (int i = 0; i < 2000; ++i) merged += "  m" + std::to_string(i) + ":\n    <<: *x\n";
  EXPECT_NE(read(merged).find("members that << merges"), std::string::npos);
  EXPECT_NE(read("a: &a [*a]\n").find("stands inside what it names"), std::string::npos);
  EXPECT_NE(read(std::string(100000, '[')).find("nested"), std::string::npos);
  EXPECT_NE(read(",").find("t.yaml:1:1"), std::string::npos);
}

TEST(YamlReader, writes_out_integers_of_other_bases_exactly_and_soon) {
  const auto read = [](const std::string& text) { return parse_yaml(text, "t").value_or_throw(); };
  EXPECT_EQ(read("0xffffffffffffffffffffffff").text(), "79228162514264337593543950335");
  EXPECT_EQ(read("-0b1" + std::string(100, '0')).text(), "-1267650600228229401496703205376");
  EXPECT_EQ(read("0x" + std::string(1000, '0') + "10").as_integer(), 16);
  const Value large = read("0x" + std::string(19'000, 'f'));
  EXPECT_EQ(large.kind(), Kind::big_integer);
  EXPECT_EQ(large.text().size(), 22879U);
  EXPECT_TRUE(read("0x" + std::string(20'000, 'f')).is_string());  // nobody could print that
}

}  // namespace
}  // namespace hearth::metadata
