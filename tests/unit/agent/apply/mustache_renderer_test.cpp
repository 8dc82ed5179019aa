#include "agent/apply/mustache_renderer.hpp"

#include <gtest/gtest.h>

#include "base/error.hpp"
#include "base/python_json.hpp"

namespace hearth::agent {
namespace {

const Json& metadata() {
  static const Json value =
      parse_python_json(
          R"({"s": "str", "n": 1, "f": 1.5, "big": 1e22, "t": true, "fa": false, "nul": null, "z": 0, "es": "",
  "zs": "0", "d": {"a": 1, "b": "é", "c": null}, "ed": {}, "el": [], "l": [1, "x", null, true, {"k": "v"}, [1, 2]],
  "ll": [[1, 2], [3]], "u": "é<&>\"", "a.b": "dotted", "os-x": {"y z": "sp"}, "top": "T", "nest": {"in": {"top": "N"}}})",
          "metadata")
          .value_or_throw();
  return value;
}

std::string rendered(
    std::string_view text, const PartialLoader& partials = [](const std::string&) { return std::nullopt; }) {
  const Result<MustacheTemplate> parsed = parse_mustache(text, "T");
  return parsed ? render_mustache(*parsed, JsonRoot(metadata()), partials) : "error";
}

struct Row {
  const char* text;
  const char* output;
};

class MustacheTable : public testing::TestWithParam<Row> {};

TEST_P(MustacheTable, RendersAsTheDialectDoes) {
  EXPECT_EQ(rendered(GetParam().text), GetParam().output) << GetParam().text;
}

INSTANTIATE_TEST_SUITE_P(
    Values, MustacheTable,
    testing::Values(
        Row{"{{n}} {{f}} {{big}} {{t}} {{fa}} {{nul}}|", "1 1.5 1e+22 true false |"},
        Row{"{{d}} {{l}} {{ed}} {{el}}",
            "{\"a\": 1, \"b\": \"\\u00e9\", \"c\": null} [1, \"x\", null, true, {\"k\": \"v\"}, [1, 2]] {} []"},
        Row{"{{u}} {{{u}}} {{&u}}", "é<&>\" é<&>\" é<&>\""},
        Row{"{{a.b}}|{{os-x.y z}}|{{d.a}}|{{d.zz}}|{{s.x}}|{{l.0}}", "|sp|1|||"}, Row{"{{ # s }}q{{ / s }}", "q"},
        Row{"{{s\n}}", "str"}, Row{"{{{s}}} }} {{s}", "str }} {{s}"}));

INSTANTIATE_TEST_SUITE_P(
    Sections, MustacheTable,
    testing::Values(Row{"{{#z}}Z{{/z}}{{#es}}E{{/es}}{{#zs}}S{{/zs}}{{#ed}}D{{/ed}}{{#nul}}N{{/nul}}", "S"},
                    Row{"{{^z}}Z{{/z}}{{^ed}}D{{/ed}}{{^missing}}M{{/missing}}{{^t}}T{{/t}}", "ZDM"},
                    Row{"{{#t}}T{{.}}{{/t}}{{#s}}S{{.}}{{/s}}{{#n}}N{{.}}{{/n}}", "TtrueSstrN1"},
                    Row{"{{#l}}[{{.}}]{{/l}}", "[1][x][][true][{\"k\": \"v\"}][[1, 2]]"},
                    Row{"{{#ll}}({{#.}}<{{.}}>{{/.}}){{/ll}}", "(<1><2>)(<3>)"},
                    Row{"{{#nest}}{{#in}}{{top}}{{d.a}}{{/in}}{{top}}{{/nest}}", "N1T"}, Row{"abc{{/s}}def", "error"},
                    Row{"{{#s}}a{{/n}}", "error"}, Row{"abc{{#s}}def", "def"}));

INSTANTIATE_TEST_SUITE_P(
    Lines, MustacheTable,
    testing::Values(Row{"  {{#s}}  \nx\n{{/s}}\ny\n", "    \nx\ny\n"}, Row{"  {{#s}}\nx\n  {{/s}}\r\ny\n", "x\ny\n"},
                    Row{"a\r\n{{#s}}\r\nb{{s}}\r\n{{/s}}\r\nc\r\n", "a\nbstr\nc\n"},
                    Row{"{{! c }}\nx{{!c}}y\n", "xy\n"},
                    Row{"{{#l}}\n- {{.}}\n{{/l}}\nend\n", "- 1\n- x\n- \n- true\n- {\"k\": \"v\"}\n- [1, 2]\nend\n"},
                    Row{"x {{#t}}\ny\n{{/t}} z", "x \ny\n z"}));

INSTANTIATE_TEST_SUITE_P(Delimiters, MustacheTable,
                         testing::Values(Row{"{{=<%=}}x", "error"},
                                         Row{"{{=<% %>=}}<%s%> {{s}} <%{u}%> <%&u%>", "str {{s}} é<&>\" é<&>\""},
                                         Row{"{{> nope}}|\n  {{>nope}}\nX", "|\nX"}));

TEST(Mustache, PartialsAreIndentedWhenAloneOnTheirLine) {
  const auto part = [](const std::string& name) {
    return name == "part" ? std::optional<std::string>("PART {{s}}\nL2") : std::nullopt;
  };
  EXPECT_EQ(rendered("{{> part}}|\n  {{>part}}\nX", part), "PART str\nL2|\n  PART str\n  L2X");
}

TEST(Mustache, APartialThatIncludesItselfForEverIsAnError) {
  EXPECT_THROW((void)rendered("{{>p}}", [](const std::string&) { return "{{>p}}"; }), Error);
}

}  // namespace
}  // namespace hearth::agent
