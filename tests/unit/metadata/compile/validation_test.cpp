#include "metadata/compile/validation.hpp"

#include <gtest/gtest.h>

#include "base/text.hpp"
#include "metadata/model/value_text.hpp"
#include "tests/fakes/processor_time.hpp"
#include "tests/unit/metadata/stack_fixture.hpp"

namespace hearth::metadata {
namespace {

TEST(Validation, finds_all_faults_at_once_with_their_places) {
  const auto built =
      build({{"top.yaml",
              "heat_template_version: 2018-08-31\nresources:\n"
              "  a: {type: OS::Heat::SoftwareConfig, properties: {confg: x}}\n"
              "  b: {type: OS::Heat::SoftwareConfig, properties: {inputs: [{name: n, type: Strin}]}}\n"}});
  const std::vector<Fault> faults = validate_stack(built->root());
  ASSERT_EQ(faults.size(), 2U);
  EXPECT_EQ(faults[0].located(built->model.sources).what(),
            std::string("top.yaml:3:52: Property error: resources.a.properties: Unknown Property confg"));
  EXPECT_EQ(built->model.sources.text(faults[1].mark()), "top.yaml:4:77");
}

TEST(Validation, shows_a_circle_of_depends_on) {
  const auto built =
      build({{"top.yaml",
              "heat_template_version: 2018-08-31\nresources:\n  a: {type: OS::Heat::None, depends_on: c}\n"
              "  b: {type: OS::Heat::None, depends_on: a}\n  c: {type: OS::Heat::None, depends_on: b}\n"}});
  const std::vector<Fault> faults = validate_stack(built->root());
  ASSERT_EQ(faults.size(), 1U);
  EXPECT_EQ(faults[0].text(), "Circular Dependency Found: a -> c -> b -> a");
}

TEST(Validation, warns_only_of_a_condition_that_nothing_asks_for) {
  const std::string head = "heat_template_version: 2018-08-31\nconditions: {c: {equals: [{get_param: Gone}, '']}}\n";
  const auto idle = build({{"top.yaml", head + "resources: {a: {type: OS::Heat::None}}\n"}});
  EXPECT_TRUE(validate_stack(idle->root()).empty());
  for (int again = 0; again < 2; ++again) {
    const auto warnings = warnings_of_values(idle->root());
    ASSERT_EQ(warnings.size(), 1U);
    EXPECT_EQ(warnings[0].second,
              "the condition c, which nothing asks for, can't be decided: The Parameter (Gone) was not provided.");
    EXPECT_EQ(idle->model.sources.text(warnings[0].first), "top.yaml:2:39");
  }
  const auto asked = build({{"top.yaml", head + "resources: {a: {type: OS::Heat::None, condition: c}}\n"}});
  EXPECT_EQ(validate_stack(asked->root()).size(), 1U);
}

TEST(Validation, lets_an_output_that_is_not_there_name_what_its_condition_takes_away) {
  const std::string head =
      "heat_template_version: 2018-08-31\nconditions: {prod: false}\n"
      "resources: {a: {type: OS::Heat::Value, condition: prod, properties: {value: 1}}}\n";
  const auto off = build({{"top.yaml", head + "outputs: {o: {value: {get_attr: [a, value]}, condition: prod}}\n"}});
  EXPECT_TRUE(validate_stack(off->root()).empty());
  const auto on = build({{"top.yaml", head + "outputs: {o: {value: {get_attr: [a, value]}}}\n"}});
  EXPECT_EQ(validate_stack(on->root()).size(), 1U);
}

TEST(Validation, refuses_groups_of_groups_that_would_not_end_at_once) {
  const auto built = build(
      {{"top.yaml",
        "heat_template_version: 2018-08-31\nresources:\n  v: {type: OS::Heat::ResourceGroup, properties: {count: 1000, "
        "resource_def: {type: 'OS::Heat::ResourceGroup', properties: {count: 100000, resource_def: {type: "
        "'OS::Heat::None'}}}}}\n"}});
  const std::vector<Fault> faults = validate_stack(built->root());
  ASSERT_EQ(faults.size(), 1U);
  EXPECT_NE(std::string(faults[0].what()).find("more than 200000 resources in this tree of stacks"), std::string::npos);
  EXPECT_LE(built->model.tree->resources, 200'001U);
}

TEST(Validation, refuses_groups_of_groups_of_groups_before_any_member_is_made) {
  const auto faults = [](int each, std::size_t& made) {
    const std::string group = cat("{type: 'OS::Heat::ResourceGroup', properties: {count: ", each, ", resource_def: ");
    const auto built = build({{"top.yaml", cat("heat_template_version: 2018-08-31\nresources:\n  v: ", group, group,
                                               group, "{type: 'OS::Heat::None'}}}}}}}\n")}});
    const std::size_t count = validate_stack(built->root()).size();
    made = built->model.tree->by_id.size();
    return count;
  };
  std::size_t made = 0;
  EXPECT_EQ(faults(1000, made), 1U);
  EXPECT_EQ(made, 1U) << "each would take memory";
  EXPECT_EQ(faults(3, made), 0U);
  EXPECT_EQ(made, 1U + 3 + 9 + 27);
}

TEST(Validation, names_the_nearest_type) {
  try {
    (void)build({{"top.yaml", "heat_template_version: 2018-08-31\nresources: {a: {type: OS::Heat::SoftwareConfg}}\n"}})
        ->root()
        .resources();
    FAIL();
  } catch (const Fault& fault) {
    EXPECT_NE(fault.story().find("Did you mean OS::Heat::SoftwareConfig?"), std::string::npos);
  }
  try {
    (void)build({{"top.yaml", "heat_template_version: 2018-08-31\nresources: {a: {type: OS::Neutron::Rooter}}\n"}})
        ->root()
        .resources();
    FAIL();
  } catch (const Fault& fault) {
    EXPECT_NE(fault.story().find("Did you mean OS::Neutron::Router?"), std::string::npos)
        << "of those that need a cloud, too";
  }
}

TEST(Validation, refuses_types_that_only_a_cloud_can_make) {
  const auto built = build(
      {{"top.yaml",
        "heat_template_version: 2018-08-31\nresources: {k: {type: OS::Nova::KeyPair, properties: {name: k}}}\n"}});
  ASSERT_EQ(validate_stack(built->root()).size(), 1U);
}

TEST(Validation, asks_nothing_of_what_somebody_else_made_and_a_key_of_a_pair) {
  const std::string head = "heat_template_version: 2018-08-31\nresources:\n";
  EXPECT_TRUE(validate_stack(build({{"top.yaml", head + "  s: {type: OS::Nova::Server, external_id: EXT-1}\n"
                                                        "  i: {type: OS::Cinder::Volume, external_id: EXT-2}\n"}})
                                 ->root())
                  .empty());
  const auto key = build(
      {{"top.yaml", head + "  k: {type: OS::Nova::KeyPair, properties: {name: k, public_key: ssh-ed25519 AAAA}}\n"}});
  EXPECT_TRUE(validate_stack(key->root()).empty());
  EXPECT_EQ(python_str(key->root().reference_of(*key->root().find("k"))), "k");
}

TEST(Validation, takes_only_names_that_heat_takes) {
  EXPECT_NO_THROW(check_stack_name("a-b_c.1"));
  for (const char* name : {"", "1a", "a b", "a/b"}) EXPECT_THROW(check_stack_name(name), Fault) << name;
}

TEST(Validation, refuses_names_of_resources_that_nobody_could_ask_for) {
  for (const char* name : {R"("")", R"("\0")", R"("a\0b")", R"("a/b")"}) {
    const std::string text =
        cat("heat_template_version: 2018-08-31\nresources:\n  ", name, ": {type: OS::Heat::None}\n");
    const auto told = [&]() -> std::string {
      try {
        const auto built = build({{"top.yaml", text}});
        for (const Fault& fault : validate_stack(built->root())) return fault.located(built->model.sources).story();
      } catch (const Fault& fault) {
        return fault.what();
      }
      return "nothing";
    }();
    EXPECT_NE(told.find("Resource name may not "), std::string::npos) << name << told;
  }
}

TEST(Validation, tells_the_nearest_name_with_the_place) {
  const auto built =
      build({{"top.yaml", "heat_template_version: 2018-08-31\nresources: {a: {type: OS::Heat::SoftwareConfg}}\n"}});
  const std::vector<Fault> faults = validate_stack(built->root());
  ASSERT_EQ(faults.size(), 1U);
  const std::string told = faults[0].located(built->model.sources).story();
  EXPECT_NE(told.find("top.yaml:2:"), std::string::npos) << told;
  EXPECT_NE(told.find("Did you mean OS::Heat::SoftwareConfig?"), std::string::npos) << told;
}

TEST(Validation, says_of_a_file_that_is_not_there_whose_name_it_is) {
  const auto built = build({{"top.yaml",
                             "heat_template_version: 2018-08-31\nresources: {v: {type: OS::Heat::Value, properties: "
                             "{value: {get_file: gone.sh}}}}\n"}});
  const std::vector<Fault> faults = validate_stack(built->root());
  ASSERT_EQ(faults.size(), 1U);
  EXPECT_EQ(faults[0].advice(), "It is looked for beside the template that names it.");
}

TEST(Validation, tells_the_nearest_name_inside_a_nested_template) {
  const auto built =
      build({{"top.yaml", "heat_template_version: 2018-08-31\nresources: {n: {type: n.yaml}}\n"},
             {"n.yaml", "heat_template_version: 2018-08-31\nresources: {a: {type: OS::Heat::RandomStrng}}\n"}});
  const std::vector<Fault> faults = validate_stack(built->root());
  ASSERT_EQ(faults.size(), 1U);
  EXPECT_NE(faults[0].story().find("Did you mean OS::Heat::RandomString?"), std::string::npos) << faults[0].story();
}

TEST(Validation, shows_a_template_inside_itself_as_a_circle_at_once) {
  const auto built =
      build({{"top.yaml", "heat_template_version: 2018-08-31\nresources: {x: {type: n.yaml}}\n"},
             {"n.yaml", "heat_template_version: 2018-08-31\nresources: {a: {type: n.yaml}, b: {type: n.yaml}}\n"}});
  const std::vector<Fault> faults = validate_stack(built->root());
  ASSERT_FALSE(faults.empty());
  EXPECT_NE(faults[0].text().find("Circular nesting of templates: n.yaml -> n.yaml"), std::string::npos)
      << faults[0].text();
}

TEST(Validation, lets_a_template_stand_inside_itself_while_its_conditions_end_that) {
  const std::string nested =
      "heat_template_version: 2018-08-31\nparameters: {left: {type: string}}\n"
      "conditions: {more: {not: {equals: [{get_param: left}, '']}}}\n"
      "resources: {a: {type: n.yaml, condition: more, properties: {left: {str_replace: {template: {get_param: left}, "
      "params: {x: ''}}}}}}\n";
  const auto built =
      build({{"top.yaml", "heat_template_version: 2018-08-31\nresources: {x: {type: n.yaml, properties: {left: x}}}\n"},
             {"n.yaml", nested}});
  EXPECT_TRUE(validate_stack(built->root()).empty());
}

/// It took minutes: each of its resources was found to be in the chain that is too long.
TEST(Validation, refuses_a_chain_that_is_too_long_once) {
  std::string text =
      "heat_template_version: 2018-08-31\nresources:\n  r6000: {type: OS::Heat::Value, properties: {value: 1}}\n";
  for (int i = 0; i < 6000; ++i) {
    text += cat("  r", i, ": {type: OS::Heat::Value, properties: {value: {get_attr: [r", i + 1, ", value]}}}\n");
  }
  const auto built = build({{"top.yaml", text}});
  const std::vector<Fault> faults = validate_stack(built->root());
  ASSERT_EQ(faults.size(), 1U);
  EXPECT_NE(std::string(faults[0].what()).find("in a chain of more than"), std::string::npos) << faults[0].what();
}

/// Each function around an attribute takes its part of the stack, too.
TEST(Validation, refuses_a_chain_that_would_run_over_the_stack) {
  for (const auto& [length, depth] : {std::pair(1990, 5), std::pair(1500, 60), std::pair(300, 60)}) {
    std::string text = cat("heat_template_version: 2018-08-31\nresources:\n  r", length,
                           ": {type: OS::Heat::Value, properties: {value: 1}}\n");
    for (int i = 0; i < length; ++i) {
      std::string value = cat("{get_attr: [r", i + 1, ", value]}");
      for (int level = 0; level < depth; ++level) value = cat("{list_join: ['', [", value, "]]}");
      text += cat("  r", i, ": {type: OS::Heat::Value, properties: {value: ", value, "}}\n");
    }
    const auto built = build({{"top.yaml", text}});
    for (const Fault& fault : validate_stack(built->root())) {
      EXPECT_NE(std::string(fault.what()).find("in a chain of more than"), std::string::npos) << fault.what();
    }
  }
}

/// A chain of operators is a tree as deep as it is long.
TEST(Validation, refuses_expressions_whose_operators_have_no_end) {
  std::string members = "$";
  std::string sums = "1";
  for (int i = 0; i < 20000; ++i) {
    members += ".a";
    sums += " + 1";
  }
  for (const std::string& expression : {members, sums}) {
    const auto built = build({{"top.yaml", cat("heat_template_version: 2018-08-31\noutputs:\n  o:\n    value: {yaql: "
                                               "{expression: '",
                                               expression, "', data: {}}}\n")}});
    const std::vector<Fault> faults = validate_stack(built->root());
    ASSERT_FALSE(faults.empty());
    EXPECT_NE(std::string(faults[0].what()).find("more than 1000 operators"), std::string::npos) << faults[0].what();
  }
}

/// Each collection is short enough, but each is gone through again for each item of another.
TEST(Validation, refuses_yaql_that_goes_through_too_much) {
  for (const char* expression : {"range(100000).select(range(100000).sum()).sum()",
                                 "range(100000).toList().aggregate($1 + range(100000).toList().len(), 0)"}) {
    const auto built = build({{"top.yaml", cat("heat_template_version: 2018-08-31\noutputs:\n  o:\n    value: {yaql: "
                                               "{expression: '",
                                               expression, "', data: {}}}\n")}});
    const std::vector<Fault> faults = validate_stack(built->root());
    ASSERT_EQ(faults.size(), 1U) << expression;
    EXPECT_NE(std::string(faults[0].what()).find("goes through more than"), std::string::npos) << faults[0].what();
  }
}

/// What would be refused at its end is refused before it is begun.
TEST(Validation, refuses_at_once_to_sort_what_takes_too_many_steps) {
  const auto built = build({{"top.yaml",
                             "heat_template_version: 2018-08-31\noutputs:\n  o:\n    value: {yaql: {expression: "
                             "'range(1000000).orderBy(-$)', data: {}}}\n"}});
  const fakes::ProcessorTime time;
  const std::vector<Fault> faults = validate_stack(built->root());
  ASSERT_EQ(faults.size(), 1U);
  EXPECT_NE(std::string(faults[0].what()).find("takes too many steps"), std::string::npos) << faults[0].what();
  EXPECT_LT(time.seconds(), 0.5);
}

/// A thousand of them ran for a minute, each although the budget was gone.
TEST(Validation, runs_no_output_when_a_stack_has_made_all_that_it_may) {
  std::string outputs = "heat_template_version: 2018-08-31\noutputs:\n";
  for (int i = 0; i < 200; ++i) {
    outputs += cat("  o", i, ":\n    value: {yaql: {expression: 'range(1, 100000).select($ * 2).sum()', data: {}}}\n");
  }
  const auto built = build({{"top.yaml", outputs}});
  EXPECT_EQ(validate_stack(built->root()).size(), 1U);
}

/// Each of them made a value so deep that whoever went through it ran over the stack, or held things in things.
TEST(Validation, refuses_values_that_yaql_puts_into_each_other_without_end) {
  for (const char* expression :
       {"range(30000).aggregate([$1,$2])", "range(50000).aggregate([$1], [])", "range(50000).aggregate(dict(a=>$1))",
        "generate([1],true,[$]).take(40000).last()", "generateMany([1],[[$]]).take(40000).last()",
        "range(20000).accumulate([$1])", "range(30000).aggregate($1.skip(0),[1])",
        "range(30000).aggregate($1.select($),[1])", "range(30000).aggregate($1.orderBy($),[1])"}) {
    const auto built = build({{"top.yaml", cat("heat_template_version: 2018-08-31\noutputs:\n  o:\n    value: {yaql: "
                                               "{expression: '",
                                               expression, "', data: {}}}\n")}});
    const std::vector<Fault> faults = validate_stack(built->root());
    ASSERT_EQ(faults.size(), 1U) << expression;
    const std::string text = faults[0].located(built->model.sources).what();
    EXPECT_NE(text.find("top.yaml:4:"), std::string::npos) << text;
    EXPECT_TRUE(text.find("more than 256 deep") != std::string::npos ||
                text.find("maximum recursion depth exceeded") != std::string::npos)
        << text;
  }
}

/// In the order of the document, so that no chain is met.
TEST(Validation, refuses_values_of_resources_each_inside_the_next) {
  std::string text =
      "heat_template_version: 2018-08-31\nresources:\n  r0: {type: OS::Heat::Value, properties: {value: x}}\n";
  for (int i = 1; i < 4000; ++i) {
    text += cat("  r", i, ": {type: OS::Heat::Value, properties: {value: [{get_attr: [r", i - 1, ", value]}]}}\n");
  }
  const auto built = build({{"top.yaml", text}});
  const std::vector<Fault> faults = validate_stack(built->root());
  ASSERT_FALSE(faults.empty());
  EXPECT_NE(std::string(faults[0].what()).find("resources.r257.properties.value: the list comes to lists and maps"),
            std::string::npos)
      << faults[0].what();
}

TEST(Validation, refuses_a_pattern_that_would_not_end_and_all_after_it) {
  std::string row;
  for (int i = 0; i < 1000; ++i) row += "a*";
  std::string text = "heat_template_version: 2018-08-31\nparameters:\n";
  for (int i = 0; i < 500; ++i) {
    text += cat("  p", i, ": {type: string, default: ", std::string(3000, 'a'), "cb, constraints: [{allowed_pattern: '",
                row, "b'}]}\n");
  }
  const auto built = build({{"top.yaml", text + "resources: {}\n"}});
  const std::vector<Fault> faults = validate_stack(built->root());
  ASSERT_EQ(faults.size(), 1U);
  EXPECT_NE(std::string(faults[0].what()).find("takes too long on this text"), std::string::npos);
  EXPECT_EQ(faults[0].mark().line, 3U);
  EXPECT_FALSE(faults[0].advice().empty());
}

TEST(Validation, refuses_a_chain_of_conditions_that_is_too_long_once) {
  std::string text = "heat_template_version: 2018-08-31\nconditions:\n";
  for (int i = 0; i < 20'000; ++i) text += cat("  c", i, ": {not: c", i + 1, "}\n");
  const auto built = build(
      {{"top.yaml", text + "  c20000: {equals: [1, 1]}\nresources:\n  a: {type: OS::Heat::None, condition: c0}\n"}});
  const std::vector<Fault> faults = validate_stack(built->root());
  ASSERT_EQ(faults.size(), 1U);
  EXPECT_NE(std::string(faults[0].what()).find("conditions depend on each other in a chain of more than 500"),
            std::string::npos)
      << faults[0].what();
  EXPECT_EQ(faults[0].mark().line, 503U);
}

/// What was quadratic: a minute each.
TEST(Validation, looks_up_names_and_values_among_many) {
  std::string text =
      "heat_template_version: 2018-08-31\nresources:\n  a: {type: OS::Heat::Value, properties: {value: 1}}\n";
  text += "outputs:\n";
  for (const char* expression :
       {"range(100000).groupBy($).len()", "range(100000).distinct().len()", "range(100000).toSet().len()"}) {
    text += cat("  \"", expression, "\": {value: {yaql: {expression: '", expression, "', data: {}}}}\n");
  }
  for (int i = 0; i < 20'000; ++i) text += cat("  o", i, ": {value: {get_attr: [a, value]}}\n");
  const auto built = build({{"top.yaml", text}});
  EXPECT_TRUE(validate_stack(built->root()).empty());
  EXPECT_EQ(built->root().output("range(100000).groupBy($).len()").as_integer(), 100'000);
}

/// Each step copies what all before it made.
TEST(Validation, refuses_yaql_that_copies_what_grows) {
  for (const char* expression :
       {"range(20000).accumulate($1+dict($2=>1),{})", "range(100000).aggregate($1.add($2),set())",
        "range(100000).aggregate($1 + abcdefghijklmnopqrstuvwxyzabcdefghijklmnopqrstuvwxyz, a).len()",
        "range(20000).aggregate($1.set($2, 1),{})", "range(20000).aggregate($1.mergeWith({$2=>1}),{})"}) {
    const auto built = build({{"top.yaml", cat("heat_template_version: 2018-08-31\noutputs:\n  o:\n    value: {yaql: "
                                               "{expression: '",
                                               expression, "', data: {}}}\n")}});
    const std::vector<Fault> faults = validate_stack(built->root());
    ASSERT_EQ(faults.size(), 1U) << expression;
    EXPECT_NE(std::string(faults[0].what()).find("goes through more than"), std::string::npos) << faults[0].what();
  }
}

/// Each goes over a large text, or a map of many members, once an item.
TEST(Validation, refuses_yaql_that_reads_what_is_large_too_often) {
#ifdef __SANITIZE_THREAD__
  GTEST_SKIP() << "one thread reads for a quarter of an hour under TSan";
#endif
  const std::string text = "let(d => abc * 300000, e => abc * 300000) -> range(2000).where(";
  const std::string maps =
      "let(d => range(9000).toDict(str($), $), e => range(9000).toDict(str($), $)) -> range(2000).where(";
  const std::string list = "let(d => range(9000).toList(), e => range(9000).toList()) -> range(2000).where(";
  for (const std::string& expression :
       {text + "$d.len() = 1).len()", text + "$d.indexOf(z) = 1).len()", text + "$d.lastIndexOf(z) = 1).len()",
        text + "$d < $e).len()", text + "$d.startsWith($e)).len()", text + "zz in $d).len()",
        text + "$d.toUpper() = 1).len()", text + "$d.split(ab).len() = 1).len()", text + "escapeRegex($d) = 1).len()",
        text + "$d = $e).len()", text + "[$d] = [$e]).len()", text + "set($d, $e).len() = 1).len()",
        text + "{$d => 1}.get($e) = 2).len()", maps + "$d != $e).len()", list + "str($d) = 1).len()",
        list + "$d != $e).len()"}) {
    const auto built = build({{"top.yaml", cat("heat_template_version: 2018-08-31\noutputs:\n  o:\n    value: {yaql: "
                                               "{expression: '",
                                               expression, "', data: {}}}\n")}});
    const std::vector<Fault> faults = validate_stack(built->root());
    ASSERT_EQ(faults.size(), 1U) << expression;
    EXPECT_NE(std::string(faults[0].what()).find("goes through more than"), std::string::npos) << faults[0].what();
  }
}

/// A text of which each look costs its length, however long the part that is looked for is.
TEST(Validation, looks_for_long_parts_in_time_that_grows_with_both) {
  std::string text = "heat_template_version: 2018-08-31\noutputs:\n";
  const std::vector<std::pair<const char*, const char*>> expressions = {
      {"a", "(a * 1000000).indexOf(a * 500000 + b)"}, {"b", "(a * 1000000).lastIndexOf(b + a * 500000)"},
      {"c", "(a * 500000 + b) in a * 1000000"},       {"d", "(a * 1000000).trim(b * 100000 + a)"},
      {"e", "(\"a \" * 60000).rightSplit().len()"},   {"f", "(\"a,\" * 60000).rightSplit(\",\").len()"},
      {"g", "\"a,,b,,,c\".rightSplit(\",,\", 1)"},    {"h", "abcabc.lastIndexOf(bc) * 10 + abcabc.indexOf(bc, 2)"}};
  for (const auto& [name, expression] : expressions)
    text += cat("  ", name, ": {value: {yaql: {expression: '", expression, "', data: {}}}}\n");
  const auto built = build({{"top.yaml", text}});
  const fakes::ProcessorTime time;
  EXPECT_TRUE(validate_stack(built->root()).empty());
  EXPECT_LT(time.seconds(), 3);
  EXPECT_EQ(built->root().output("a").as_integer(), -1);
  EXPECT_EQ(built->root().output("b").as_integer(), -1);
  EXPECT_FALSE(built->root().output("c").as_bool());
  EXPECT_EQ(built->root().output("d").text(), "");
  EXPECT_EQ(built->root().output("e").as_integer(), 60'000);
  EXPECT_EQ(built->root().output("f").as_integer(), 60'001);
  EXPECT_EQ(json_text(built->root().output("g")), R"(["a,,b,", "c"])");
  EXPECT_EQ(built->root().output("h").as_integer(), 44);
}

/// Each reads a large text, or goes over many items, and makes little of it.
TEST(Validation, counts_what_functions_read) {
  const std::string words = [] {
    std::string all;
    for (int i = 0; i < 50'000; ++i) all += "a ";
    return all;
  }();
  for (const char* call : {"{digest: [sha512, {get_param: p}]}", "{str_split: [' ', {get_param: p}, 0]}",
                           "{str_replace: {template: {get_param: p}, params: {a: b}}}",
                           "{make_url: {host: h, path: {get_param: p}}}", "{contains: [z, {get_param: l}]}",
                           "{list_concat_unique: [{get_param: l}]}", "{list_join: [',', [{get_param: l}]]}"}) {
    std::string text = "heat_template_version: 2018-08-31\nparameters:\n  p: {type: string, default: '" + words +
                       "'}\n  l: {type: json, default: [";
    for (int i = 0; i < 2000; ++i) text += cat(i == 0 ? "" : ", ", i);
    text += "]}\noutputs:\n";
    for (int i = 0; i < 300; ++i) text += cat("  o", i, ": {value: ", call, "}\n");
    const auto built = build({{"top.yaml", text}});
    built->model.tree->settings.most_made = 8U << 20U;
    const std::vector<Fault> faults = validate_stack(built->root());
    ASSERT_FALSE(faults.empty()) << call;
    EXPECT_NE(std::string(faults[0].what()).find("the stack's values come to more than"), std::string::npos)
        << call << ": " << faults[0].what();
  }
}

TEST(Validation, refuses_a_repeat_that_would_not_end_and_names_it) {
  std::string lists;
  for (const char* name : {"a", "b", "c", "d", "e"}) {
    lists += std::string(lists.empty() ? "" : ", ") + "'%" + name + "%': [";
    for (int i = 0; i < 60; ++i) lists += std::string(i == 0 ? "" : ", ") + "x";
    lists += "]";
  }
  const auto built = build({{"top.yaml",
                             "heat_template_version: 2018-08-31\noutputs:\n  o:\n    value: {repeat: {template: t, "
                             "for_each: {" +
                                 lists + "}}}\n"}});
  const std::vector<Fault> faults = validate_stack(built->root());
  ASSERT_EQ(faults.size(), 1U);
  EXPECT_NE(faults[0].located(built->model.sources).story().find("top.yaml:4:"), std::string::npos);
  EXPECT_NE(faults[0].story().find("comes to more than 100000 items"), std::string::npos);
}

TEST(Validation, refuses_two_configs_for_one_action_and_servers_without_an_agent) {
  const auto component = build(
      {{"top.yaml",
        "heat_template_version: 2018-08-31\nresources:\n  c: {type: OS::Heat::SoftwareComponent, properties: {configs: "
        "[{actions: [CREATE], config: a, tool: script}, {actions: [CREATE, UPDATE], config: b, tool: script}]}}\n"}});
  const std::vector<Fault> twice = validate_stack(component->root());
  ASSERT_EQ(twice.size(), 1U);
  EXPECT_EQ(twice[0].text(),
            "Defining more than one configuration for the same action in SoftwareComponent \"c\" is not allowed.");
  const auto raw =
      build({{"top.yaml",
              "heat_template_version: 2018-08-31\nresources:\n  s: {type: OS::Nova::Server, properties: {flavor: f, "
              "image: i, "
              "user_data_format: RAW}}\n  c: {type: OS::Heat::SoftwareConfig, properties: {group: script}}\n"
              "  d: {type: OS::Heat::SoftwareDeployment, properties: {config: {get_resource: c}, server: "
              "{get_resource: s}}}\n"}});
  const std::vector<Fault> agentless = validate_stack(raw->root());
  ASSERT_EQ(agentless.size(), 1U);
  EXPECT_EQ(agentless[0].text().rfind("Resource s's property user_data_format should be set to SOFTWARE_CONFIG", 0),
            0U);
}

}  // namespace
}  // namespace hearth::metadata
