#include "metadata/jinja/renderer.hpp"

#include <gtest/gtest.h>

#include "base/text.hpp"
#include "metadata/model/fault.hpp"
#include "metadata/model/json_reader.hpp"

namespace hearth::metadata::jinja {
namespace {

constexpr const char* k_variables = R"({"name": "Compute", "count": 3, "ratio": 1.5, "yes": true, "none": null,
  "tags": ["primary", "controller"], "role": {"name": "Ctl", "tags": ["a"], "items": 7, "Count": 2},
  "networks": [{"name": "External", "vip": true, "vlan": 10}, {"name": "Tenant"}, {"name": "Storage", "vip": false}]})";

std::string rendered(const std::string& text) {
  Sources sources;
  RenderRequest request{.text = text, .name = "t.j2"};
  const Value variables = parse_json_value(k_variables, "variables").value_or_throw();
  for (const Entry& entry : variables.entries()) request.variables.emplace_back(entry.key.text(), entry.value);
  request.load = [](const std::string& name) -> std::optional<std::pair<std::string, std::string>> {
    if (name == "part.j2")
      return std::pair<std::string, std::string>("<{{ name }}{{ own }}{% set own = 'x' %}>", "part.j2");
    if (name == "self.j2") return std::pair<std::string, std::string>("{% include 'self.j2' %}", "self.j2");
    return std::nullopt;
  };
  return render(request, sources);
}

std::string fault(const std::string& text) {
  try {
    return "rendered: " + rendered(text);
  } catch (const Fault& found) {
    return std::to_string(found.mark().line) + ": " + found.what();
  }
}

struct Case {
  const char* text;
  const char* expected;
};

void expect_all(const std::vector<Case>& cases) {
  for (const Case& each : cases) EXPECT_EQ(rendered(each.text), each.expected) << each.text;
}

TEST(Jinja, strips_white_space_where_a_minus_asks_for_it_and_one_newline_at_the_end) {
  expect_all({{"a\n\n", "a\n"},
              {"a {%- if yes %} b {% endif -%} c", "a b c"},
              {"a\n  {{- name }}\n", "aCompute"},
              {"a {# x -#} b", "a b"},
              {"a\r\nb", "a\nb"},
              {"{% raw %}{{ x }}{% endraw %}", "{{ x }}"},
              {" {%- raw -%}  {% a %} {%- endraw -%} z", "{% a %}z"},
              {"{%+ if yes %}x{%+ endif %}", "x"}});
}

TEST(Jinja, prints_values_as_python_does) {
  expect_all({{"{{ tags }} {{ yes }} {{ none }} {{ ratio }} {{ count }}", "['primary', 'controller'] True None 1.5 3"},
              {"{{ missing }}|{{ role.missing }}|{{ {'a': 1} }}", "||{'a': 1}"},
              {"{{ role.items }} {{ role['name'] }} {{ tags[0] }} {{ tags[-1] }} {{ tags.1 }}",
               "7 Ctl primary controller controller"},
              {"{{ name[1:3] }}{{ name[::-1] }}{{ tags[1:] }}", "ometupmoC['controller']"}});
}

TEST(Jinja, computes_with_pythons_operators) {
  expect_all({{"{{ count + 1 }} {{ count-1 }} {{ 7 // 2 }} {{ -7 // 2 }} {{ -7 % 3 }} {{ 7 / 2 }} {{ 2 ** 3 }}",
               "4 2 3 -4 2 3.5 8"},
              {"{{ 'a' ~ 1 ~ none }} {{ 'a' + 'b' }} {{ [1] + [2] }} {{ 'ab' * 2 }}", "a1None ab [1, 2] abab"},
              {"{{ 'primary' in tags and 'x' not in tags }} {{ not yes }} {{ missing or 'd' }}", "True False d"},
              {"{{ 1 == 1.0 }} {{ '1' == 1 }} {{ 'a' < 'b' }} {{ [1, 2] < [1, 3] }}", "True False True True"},
              {"{{ 'x' if count > 2 else 'y' }} {{ 'x' if count > 9 }}", "x "},
              {"{{ 'primary' in missing }}", "False"}});
}

TEST(Jinja, knows_the_filters_and_tests_of_tripleos_templates) {
  expect_all({{"{{ missing|default('d') }} {{ ''|default('e', true) }} {{ none|default('f') }}", "d e None"},
              {"{{ networks|selectattr('vip')|map(attribute='name')|list }}", "['External']"},
              {"{{ networks|rejectattr('vip')|map(attribute='name')|join(',') }}", "Tenant,Storage"},
              {"{{ networks|selectattr('vlan', 'equalto', 10)|list|length }}", "1"},
              {"{{ ['b', 'A', 'b']|unique|sort|list }} {{ [3, 1]|max }} {{ tags|last }}", "['A', 'b'] 3 controller"},
              {"{{ name|lower }} {{ '4'|int + 1 }} {{ [[1], [2, [3]]]|flatten }}", "compute 5 [1, 2, 3]"},
              {"{{ missing is defined }} {{ role is mapping }} {{ none is none }} {{ 3 is divisibleby 3 }}",
               "False True True True"},
              {"{{ {'b': 1, 'a': [true, none]}|to_json }}", R"({"b": 1, "a": [true, null]})"},
              {"{{ 'a' is not defined }} {{ tags|difference(['primary']) }}", "False ['controller']"},
              {"{{ {'b': 1, 'A': 2}|dictsort }}", "[['A', 2], ['b', 1]]"}});
}

TEST(Jinja, loops_with_filter_else_unpacking_and_loop) {
  expect_all(
      {{"{% for n in networks if n.vip|default(true) %}{{ n.name }},{% endfor %}", "External,Tenant,"},
       {"{% for n in [] %}x{% else %}none{% endfor %}", "none"},
       {"{% for n in missing %}x{% endfor %}", ""},
       {"{% for k, v in {'a': 1, 'b': 2}.items() %}{{ k }}={{ v }}{{ ';' if not loop.last }}{% endfor %}", "a=1;b=2"},
       {"{% for i in range(1, 4) %}{{ loop.index }}/{{ loop.length }}{{ i }} {% endfor %}", "1/31 2/32 3/33 "},
       {"{% for p in role %}{{ p }} {% endfor %}", "name tags items Count "}});
}

TEST(Jinja, keeps_what_a_loop_sets_in_the_loop_but_lists_and_namespaces_are_shared) {
  expect_all(
      {{"{% set x = 1 %}{% for i in [1, 2] %}{% set x = x + i %}{{ x }} {% endfor %}{{ x }}", "2 3 1"},
       {"{% set l = [1] %}{% for i in [2] %}{% set _ = l.pop() %}{% set _ = l.append(i) %}{% endfor %}{{ l }}", "[2]"},
       {"{% set d = {'a': 1} %}{% if d.update({'a': 2}) %}{% endif %}{{ d.a }}", "2"},
       {"{% set ns = namespace(n=0) %}{% for i in [1, 2] %}{% set ns.n = ns.n + i %}{% endfor %}{{ ns.n }}", "3"},
       {"{% if yes %}{% set x = 5 %}{% endif %}{{ x }}", "5"},
       {"{% set x %}a{{ count }}{% endset %}{{ x }}", "a3"},
       {"{% with a = 1, b = 2 %}{{ a + b }}{% endwith %}{{ a }}", "3"}});
}

TEST(Jinja, calls_methods_of_texts_lists_and_maps) {
  expect_all(
      {{"{{ name.lower() }} {{ 'step_1'.replace('step_', '') }} {{ name.startswith('Comp') }}", "compute 1 True"},
       {"{{ role.get('name') }} {{ role.get('x', 'y') }} {{ 'a,b'.split(',') }}", "Ctl y ['a', 'b']"},
       {"{{ ' a '.strip() }}{{ 'abc'.endswith(('b', 'c')) }}{{ '-'.join(tags) }}", "aTrueprimary-controller"}});
}

TEST(Jinja, includes_with_the_names_that_are_set_and_renders_blocks_where_they_stand_and_again) {
  expect_all({{"{% set own = 'o' %}{% include 'part.j2' %}{{ own }}", "<Computeo>o"},
              {"{% include 'part.j2' without context %}", "<>"},
              {"{% include 'none.j2' ignore missing %}x", "x"},
              {"{% include ['none.j2', 'part.j2'] %}", "<Compute>"},
              {"{% block b %}[{{ count }}]{% endblock %} {{ self.b() }}", "[3] [3]"}});
}

TEST(Jinja, says_what_is_wrong_and_in_which_line) {
  const std::vector<Case> cases = {{"a\n{{ missing.x }}", "2: 'missing' is undefined"},
                                   {"{{ role.x.y }}", "1: 'dict object' has no attribute 'x'"},
                                   {"{{ missing + 1 }}", "1: 'missing' is undefined"},
                                   {"\n\n{% if x %}a", "3: this is not closed: no endif"},
                                   {"{% endfor %}", "1: 'endfor' closes nothing that is open"},
                                   {"{% for a in [1] %}{% endif %}", "1: 'endif' closes not what is open (endfor)"},
                                   {"{{ name | lowr }}", "1: no filter named 'lowr'; did you mean lower?"},
                                   {"{{ 1 is odder }}", "1: no test named 'odder'"},
                                   {"{% fr a in b %}{% endfor %}", "1: unknown tag 'fr'"},
                                   {"{% macro a() %}{% endmacro %}", "1: 'macro' is not supported"},
                                   {"{{ a", "1: this is not closed: no }}"},
                                   {"{{ 'a }}", "1: a string is not closed"},
                                   {"{# a", "1: a comment is not closed: no #}"},
                                   {"{{ 1 + 'a' }}", "1: unsupported operand types for +: 'int' and 'str'"},
                                   {"{{ 1 < 'a' }}", "1: unsupported operand types for <: 'int' and 'str'"},
                                   {"{{ f(1) }}", "1: 'f' is undefined"},
                                   {"{{ 1 // 0 }}", "1: division by zero"},
                                   {"{{ [1, 2 }}", "1: unexpected '}'"},
                                   {"{% include 'none.j2' %}", "1: there is no template none.j2 to include"},
                                   {"{% for a, b in [1] %}{% endfor %}", "1: 'int' object is not iterable"},
                                   {"{% set a.b = 1 %}", "1: cannot assign attribute on non-namespace object"}};
  for (const Case& each : cases) EXPECT_EQ(fault(each.text), each.expected) << each.text;
}

TEST(Jinja, ends_what_would_not_end) {
  EXPECT_NE(fault("{% include 'self.j2' %}").find("nested too deeply"), std::string::npos);
  EXPECT_NE(fault("{% for i in range(10000000) %}{% endfor %}").find("20000"), std::string::npos);
  EXPECT_NE(fault("{% for i in range(9999) %}{% for j in range(9999) %}{% endfor %}{% endfor %}").find("turns"),
            std::string::npos);
  EXPECT_NE(fault("{% set ns = namespace(s='aaaaaaaa') %}{% for i in range(99) %}{% set ns.s = ns.s ~ ns.s %}"
                  "{% endfor %}")
                .find("too long"),
            std::string::npos);
  EXPECT_NE(fault("{% set a = [] %}{% set _ = a.append(a) %}").find("one in itself"), std::string::npos);
  EXPECT_NE(fault("{% set ns = namespace(x=1) %}{% for i in range(999) %}{% set ns.x = [ns.x] %}{% endfor %}")
                .find("nested too deeply"),
            std::string::npos);
  EXPECT_NE(fault(cat("{{ ", std::string(5000, '('), "1", std::string(5000, ')'), " }}")).find("nested too deeply"),
            std::string::npos);
  EXPECT_NE(fault("{% block b %}{{ self.b() }}{% endblock %}").find("nested too deeply"), std::string::npos);
  for (const char* link : {" + 1", " ~ 1", " * 1", " or 1", ".a", "[0]", "|string", " is none"}) {
    std::string text = "{{ 1";
    for (int i = 0; i < 20000; ++i) text += link;
    EXPECT_NE(fault(text + " }}").find("more than 1000 operators"), std::string::npos) << link;
  }
}

}  // namespace
}  // namespace hearth::metadata::jinja
