#include "metadata/compile/mending.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "base/text.hpp"
#include "metadata/compile/files.hpp"

namespace hearth::metadata {
namespace {

using testing::ElementsAre;
using testing::IsEmpty;

Mistakes look(const std::map<std::string, std::string>& files, std::vector<std::string> environments = {},
              Duration longest = std::chrono::minutes(1)) {
  return all_mistakes(
      [&](StackModel& model) {
        model.files = std::make_unique<MapFiles>(files);
        StackRequest request;
        request.template_name = "top.yaml";
        request.environments = environments;
        build_model(model, request);
      },
      longest);
}

/// "FILE:LINE TEXT", with the advice in brackets.
std::vector<std::string> lines(const Mistakes& mistakes) {
  std::vector<std::string> all;
  for (const Mistake& each : mistakes.errors) {
    all.push_back(
        cat(each.file, ":", each.line, " ", each.text, each.advice.empty() ? "" : cat(" (", each.advice, ")")));
  }
  return all;
}

TEST(Mending, what_a_parameter_takes_and_a_misspelt_version_are_told) {
  const std::vector<std::string> told =
      lines(look({{"top.yaml",
                   "heat_template_versoin: 2018-08-31\nparameters:\n"
                   "  n: {type: number, description: How many, constraints: [{range: {min: 1, max: 4}}]}\n"
                   "resources: {a: {type: OS::Heat::Value, properties: {value: {get_param: n}}}}\n"}}));
  ASSERT_EQ(told.size(), 2U);
  EXPECT_EQ(told[0],
            "top.yaml:1 The template version is invalid: Template version was not provided "
            "(Did you mean heat_template_version?)");
  EXPECT_THAT(told[1],
              testing::StartsWith("top.yaml:3 The Parameter (n) was not provided. (It is a number; range from 1 to 4 "
                                  "(How many); `hearth metadata parameters` writes all"));
}

TEST(Mending, a_command_that_ends_at_one_mistake_says_them_all) {
  const auto said = [](int mistakes) {
    std::string text = "heat_template_version: 2018-08-31\nresources:\n";
    for (int i = 0; i < mistakes; ++i) text += cat("  r", i, ": {type: OS::Heat::SoftwareConfg}\n");
    const auto build = [&](StackModel& model) {
      model.files = std::make_unique<MapFiles>(std::map<std::string, std::string>{{"top.yaml", text}});
      StackRequest request;
      request.template_name = "top.yaml";
      build_model(model, request);
    };
    const std::string first =
        "top.yaml:3:14: The Resource Type (OS::Heat::SoftwareConfg) could not be found.\n"
        "  Did you mean OS::Heat::SoftwareConfig?";
    return with_all_mistakes(Error(ErrorKind::input, first), build).story();
  };
  EXPECT_THAT(said(1), testing::StartsWith("top.yaml:3:14: The Resource Type"));
  EXPECT_THAT(said(2), testing::StartsWith("2 mistakes:\ntop.yaml:3:14: The Resource Type"));
  EXPECT_THAT(said(2), testing::HasSubstr("\ntop.yaml:4:14: The Resource Type"));
  EXPECT_THAT(said(23), testing::StartsWith("23 mistakes:\n"));
  EXPECT_THAT(said(23), testing::EndsWith("\n  … and 3 more; `hearth metadata lint` with the same options tells all."));
}

/// Twenty kinds of mistakes in one template, one or more a line, and all are told.
TEST(Mending, tells_twenty_kinds_of_mistakes_at_once) {
  const Mistakes mistakes = look({{"top.yaml",
                                   "heat_template_version: 2018-08-31\n"                                      // 1
                                   "parametrs: {extra: {type: string}}\n"                                     // 2
                                   "parameters:\n"                                                            // 3
                                   "  size: {type: number, default: 5, constraints: [{range: {min: 10}}]}\n"  // 4
                                   "  name: {type: strng, default: n}\n"                                      // 5
                                   "  must: {type: string}\n"                                                 // 6
                                   "  odd: {type: string, defaut: x}\n"                                       // 7
                                   "conditions: {big: {eqals: [1, 2]}}\n"                                     // 8
                                   "resources:\n"                                                             // 9
                                   "  a:\n"                                                                   // 10
                                   "    type: OS::Heat::SoftwareConfg\n"                                      // 11
                                   "    properties: {group: script, confg: {get_param: nam}}\n"               // 12
                                   "  b:\n"                                                                   // 13
                                   "    type: OS::Heat::SoftwareConfig\n"                                     // 14
                                   "    propertis: {config: {get_file: missing.sh}}\n"                        // 15
                                   "  c:\n"                                                                   // 16
                                   "    type: OS::Heat::SoftwareDeployment\n"                                 // 17
                                   "    properties:\n"                                                        // 18
                                   "      config: {get_resource: aa}\n"                                       // 19
                                   "      server: {get_param: nonesuch}\n"                                    // 20
                                   "      signal_transport: CFN_SGNAL\n"                                      // 21
                                   "  d:\n"                                                                   // 22
                                   "    type: OS::Heat::Value\n"                                              // 23
                                   "    condition: bigg\n"                                                    // 24
                                   "    properties: {value: 1, type: strange}\n"                              // 25
                                   "  e:\n"                                                                   // 26
                                   "    type: OS::Heat::ResourceGroup\n"                                      // 27
                                   "    depends_on: [a, zz]\n"                                                // 28
                                   "    properties: {count: many, resource_def: {type: OS::Heat::None}}\n"    // 29
                                   "  f:\n"                                                                   // 30
                                   "    type: OS::Heat::RandomString\n"                                       // 31
                                   "    deletion_policy: Remove\n"                                            // 32
                                   "    properties: {length: 5000}\n"                                         // 33
                                   "  g: {properties: {x: 1}}\n"                                              // 34
                                   "  h: {type: OS::Heat::SoftwareDeployment, properties: {config: c}}\n"     // 35
                                   "outputs:\n"                                                               // 36
                                   "  o: {valu: 1}\n"                                                         // 37
                                   "  p: {value: {get_attr: [ff, value]}}\n"}});                              // 38
  std::vector<std::uint32_t> places;
  for (const Mistake& each : mistakes.errors) places.push_back(each.line);
  EXPECT_THAT(places,
              ElementsAre(2, 4, 5, 6, 7, 8, 11, 12, 12, 15, 15, 19, 20, 21, 24, 25, 28, 29, 32, 33, 34, 35, 37, 38))
      << join(lines(mistakes), "\n");
  std::string advice;
  for (const Mistake& each : mistakes.errors) advice += each.advice + "\n";
  for (const char* name : {"parameters", "string", "default", "OS::Heat::SoftwareConfig", "config", "name",
                           "properties", "a", "big", "f"}) {
    EXPECT_NE(advice.find(cat("Did you mean ", name, "?\n")), std::string::npos) << name << " in\n" << advice;
  }
  EXPECT_TRUE(mistakes.all);
}

/// What was misspelt is read as it was meant: what stands below it, and what refers to it, is right then.
TEST(Mending, tells_nothing_that_only_follows_from_a_mistake) {
  EXPECT_THAT(lines(look({{"top.yaml",
                           "heat_template_version: 2018-08-31\n"
                           "paramters:\n  who: {type: string, default: x}\n"
                           "resources:\n"
                           "  a: {type: OS::Heat::SoftwareConfg, propertis: {config: {get_param: who}}}\n"
                           "  b: {type: OS::Heat::Value, properties: {value: {get_resource: a}}}\n"
                           "outputs: {o: {value: {get_attr: [b, value]}}}\n"}})),
              ElementsAre("top.yaml:2 The template section is invalid: paramters (Did you mean parameters?)",
                          "top.yaml:5 The Resource Type (OS::Heat::SoftwareConfg) could not be found. (Did you mean "
                          "OS::Heat::SoftwareConfig?)",
                          "top.yaml:5 \"propertis\" is not a valid keyword inside a resource definition (Did you mean "
                          "properties?)"));
}

TEST(Mending, looks_into_environments_and_nested_templates) {
  const Mistakes mistakes =
      look({{"top.yaml",
             "heat_template_version: 2018-08-31\nparameters: {n: {type: number}}\n"
             "resources: {x: {type: nested.yaml, properties: {sise: 1, colour: red}}}\n"},
            {"nested.yaml",
             "heat_template_version: 2018-08-31\nparameters: {size: {type: number}}\n"
             "resources: {r: {type: OS::Heat::RandomString, properties: {lenght: 3}}, s: {type: OS::Heat::Nothing}}\n"},
            {"env.yaml", "parameters: {n: many}\nparameter_default: {}\n"}},
           {"env.yaml"});
  EXPECT_THAT(lines(mistakes).size(), 6U) << join(lines(mistakes), "\n");
  EXPECT_NE(join(lines(mistakes), "\n").find("nested.yaml:3"), std::string::npos) << join(lines(mistakes), "\n");
}

TEST(Mending, tells_all_values_of_parameters_that_are_none) {
  const Mistakes mistakes = all_mistakes([&](StackModel& model) {
    model.files = std::make_unique<MapFiles>(std::map<std::string, std::string>{
        {"top.yaml",
         "heat_template_version: 2018-08-31\nparameters: {size: {type: string, default: x}}\n"
         "resources: {r: {type: OS::Heat::Nothing}}\n"}});
    StackRequest request;
    request.template_name = "top.yaml";
    request.parameters = map_of({{"sise", Value::string("1")}, {"other", Value::string("1")}});
    build_model(model, request);
  });
  EXPECT_EQ(mistakes.errors.size(), 3U) << join(lines(mistakes), "\n");
}

/// The twenty kinds again, with a line that is no YAML in three places: of the rest, what does not follow is told.
TEST(Mending, looks_at_the_rest_of_what_cannot_be_parsed) {
  const std::map<std::string, std::string> files = {
      {"top.yaml",
       "heat_template_version: 2018-08-31\n"                                    // 1
       "parametrs: {extra: {type: string}}\n"                                   // 2
       "parameters:\n"                                                          // 3
       "  name: {type: strng, default: n}\n"                                    // 4
       "  list: {type: string, default: [}\n"                                   // 5: no YAML
       "resources:\n"                                                           // 6
       "  a:\n"                                                                 // 7
       "    type: OS::Heat::SoftwareConfg\n"                                    // 8
       "\tgroup: script\n"                                                      // 9: no YAML
       "    properties: {confg: {get_param: nam}, group: {get_param: list}}\n"  // 10
       "  b: {type: nested.yaml, properties: {sise: 1}}\n"                      // 11
       "outputs:\n"                                                             // 12
       "  o: {value: {get_attr: [aa, value]}}\n"},                              // 13
      {"nested.yaml",
       "heat_template_version: 2018-08-31\n"
       "parameters: {size: {type: number}}\n"
       "resources:\n"
       "  r: {type: OS::Heat::RandomString, properties: {lenght: 3}}\n"  // 4
       "  s: {type: OS::Heat::Value\n"                                   // 5: no YAML
       "  t: {type: OS::Heat::Vale}\n"},                                 // 6
      {"env.yaml", "parameters:\n  name: x\n bad: : y\nparameter_default: {}\n"}};
  const Mistakes mistakes = look(files, {"env.yaml"});
  const std::string told = join(lines(mistakes), "\n");
  for (const char* each : {"top.yaml:2 ", "top.yaml:4 ", "top.yaml:5 ", "top.yaml:8 ", "top.yaml:10 ", "top.yaml:11 ",
                           "top.yaml:13 ", "nested.yaml:4 ", "nested.yaml:6 ", "env.yaml:3 ", "env.yaml:4 "}) {
    EXPECT_NE(told.find(each), std::string::npos) << each << "in\n" << told;
  }
  EXPECT_EQ(told.find("(list)"), std::string::npos) << "which only follows from what was left out:\n" << told;
  EXPECT_FALSE(mistakes.all);
}

TEST(Mending, ends_where_a_text_cannot_be_read) {
  EXPECT_EQ(look({{"top.yaml", "heat_template_version: [2018\n"}}).errors.size(), 1U);
  EXPECT_EQ(look({{"top.yaml", "- a\n"}}).errors.size(), 1U);
  EXPECT_EQ(look({{"other.yaml", ""}}).errors.size(), 1U);
}

/// Heat stops at the first of these; a look for each would take minutes.
TEST(Mending, tells_both_mistakes_of_each_of_three_hundred_resources) {
  std::string types = "heat_template_version: 2018-08-31\nresources:\n";
  std::string words = "heat_template_version: 2018-08-31\nparameters:\n";
  for (int i = 0; i < 300; ++i) {
    types += cat("  a", i, ": {type: OS::Heat::SoftwareConfg, properties: {confg: 1}}\n");
    words += cat("  p", i, ": {type: strng, defalt: 1}\n");
  }
  words += "resources:\n";
  for (int i = 0; i < 300; ++i)
    words += cat("  a", i, ": {type: OS::Heat::Value, propertis: {value: 1}, depends: b}\n");
  words += "outputs:\n";
  for (int i = 0; i < 300; ++i) words += cat("  o", i, ": {valu: 1}\n");
  const Mistakes of_types = look({{"top.yaml", types}});
  EXPECT_EQ(of_types.errors.size(), 600U);
  EXPECT_TRUE(of_types.all);
  const Mistakes all = look({{"top.yaml", words}});
  EXPECT_EQ(all.errors.size(), 1000U) << "more than anybody reads at once";
  EXPECT_GT(all.untold, 0U);
  EXPECT_FALSE(all.all);
  const Mistakes short_of_time = look({{"top.yaml", types}}, {}, Duration::zero());
  EXPECT_THAT(short_of_time.errors, testing::Not(IsEmpty()));
  EXPECT_FALSE(short_of_time.all) << "and says so";
}

TEST(Mending, warns_though_nothing_can_be_read_at_first) {
  const Mistakes mistakes = look({{"top.yaml",
                                   "heat_template_version: 2018-08-31\nparameters: {idle: {type: strng, default: x}}\n"
                                   "resources: {a: {type: OS::Heat::Value, properties: {value: {list_jion: []}}},\n"
                                   "            d: {type: OS::Heat::SoftwareDeployment, properties: {config: "
                                   "{get_resource: c}, server: {get_resource: s}}},\n"
                                   "            c: {type: OS::Heat::SoftwareConfig, properties: {group: scrpt}},\n"
                                   "            s: {type: OS::Heat::DeployedServer}}\n"},
                                  {"env.yaml", "parameter_defaults: {idel: 1}\n"}},
                                 {"env.yaml"});
  EXPECT_EQ(mistakes.errors.size(), 1U) << join(lines(mistakes), "\n");
  std::string told;
  for (const Mistake& each : mistakes.warnings) told += each.text + "\n";
  for (const char* part : {"list_join", "idel", "scrpt"}) EXPECT_NE(told.find(part), std::string::npos) << told;
}

TEST(Mending, tells_a_mistake_once_and_nothing_of_what_takes_its_place) {
  EXPECT_THAT(
      lines(look({{"top.yaml",
                   "heat_template_version: 2018-08-31\nresources:\n"
                   "  a: {type: OS::Heat::Value, properties: {value: {yaql: {expression: '1 +', data: 1}}}}\n"
                   "  b: {type: OS::Heat::Value, properties: {value: {list_join: [',', [{get_param: x}]]}}}\n"}})),
      ElementsAre("top.yaml:3 resources.a.properties.value.yaql: Bad expression Parse error: unexpected end of "
                  "statement.",
                  "top.yaml:4 Property error: resources.b.properties.value: The Parameter (x) was not provided."));
}

TEST(Mending, advises_of_functions_of_conditions_attributes_and_algorithms) {
  const Mistakes mistakes = look({{"top.yaml",
                                   "heat_template_version: 2018-08-31\nconditions: {c: {equalz: [1, 1]}}\nresources:\n"
                                   "  a: {type: OS::Heat::Value, properties: {value: {digest: [sha25, x]}}}\n"
                                   "  b: {type: OS::Heat::Value, properties: {value: {get_attr: [a, valu]}}}\n"
                                   "  n: {type: inner.yaml}\n"
                                   "  d: {type: OS::Heat::Value, properties: {value: {get_attr: [n, outt]}}}\n"},
                                  {"inner.yaml", "heat_template_version: 2018-08-31\noutputs: {out: {value: 1}}\n"}});
  std::string advice;
  for (const Mistake& each : mistakes.errors) advice += each.advice + "\n";
  EXPECT_EQ(mistakes.errors.size(), 4U) << join(lines(mistakes), "\n");
  for (const char* name : {"equals", "value", "out"})
    EXPECT_NE(advice.find(cat("Did you mean ", name, "?\n")), std::string::npos) << name << " in\n" << advice;
  EXPECT_NE(advice.find("Did you mean sha2"), std::string::npos) << advice;
}

TEST(Mending, advises_of_versions_policies_and_the_words_of_a_choice) {
  const Mistakes mistakes =
      look({{"top.yaml",
             "heat_template_version: 2018-08-32\nparameters:\n"
             "  p: {type: string, default: blu, constraints: [{allowed_values: [red, blue]}]}\n"
             "resources:\n"
             "  a: {type: OS::Heat::Value, deletion_policy: Retian, properties: {value: 1}}\n"
             "  b: {type: OS::Heat::Value, properties: {type: strng, value: {get_param: p}}}\n"}});
  std::string advice;
  for (const Mistake& each : mistakes.errors) advice += each.advice + "\n";
  EXPECT_EQ(mistakes.errors.size(), 4U) << join(lines(mistakes), "\n");
  for (const char* name : {"2018-08-31", "blue", "Retain", "string"})
    EXPECT_NE(advice.find(cat("Did you mean ", name, "?\n")), std::string::npos) << name << " in\n" << advice;
}

TEST(Mending, advises_of_the_keys_of_functions_and_looks_on_behind_them) {
  const Mistakes mistakes =
      look({{"top.yaml",
             "heat_template_version: 2018-08-31\nresources:\n"
             "  a: {type: OS::Heat::Value, properties: {value: {str_replace: {template: $x, parms: {$x: {get_param: "
             "no}}}}}}\n"
             "  b: {type: OS::Heat::Value, properties: {value: {repeat: {template: x, foreach: {x: [a]}}}}}\n"
             "  c: {type: OS::Heat::Value, properties: {value: {yaql: {expresion: '1', data: 1}}}}\n"
             "  d: {type: OS::Heat::Value, properties: {value: {make_url: {scheme: http, hots: h}}}}\n"}});
  std::string advice;
  for (const Mistake& each : mistakes.errors) advice += each.advice + "\n";
  EXPECT_EQ(mistakes.errors.size(), 5U) << join(lines(mistakes), "\n");
  for (const char* name : {"params", "for_each", "expression", "host"})
    EXPECT_NE(advice.find(cat("Did you mean ", name, "?\n")), std::string::npos) << name << " in\n" << advice;
}

TEST(Mending, advises_of_files_placeholders_yaql_and_what_an_output_has) {
  const Mistakes mistakes =
      look({{"top.yaml",
             "heat_template_version: 2018-08-31\nresources:\n"
             "  a: {type: chlid.yaml}\n"
             "  b: {type: OS::Heat::Value, properties: {value: {get_file: scripts/instal.sh}}}\n"
             "  d: {type: OS::Heat::Value, properties: {value: {str_replace_strict: {template: to $name$,"
             " params: {$nmae$: y}}}}}\n"
             "  e: {type: OS::Heat::Value, properties: {value: {yaql: {expression: lenn($.data), data: [1]}}}}\n"
             "  f: {type: OS::Heat::Value, properties: {value: {yaql: {expression: $.data.selct($), data: [1]}}}}\n"
             "outputs: {o: {vale: 1}}\n"},
            {"child.yaml", "heat_template_version: 2018-08-31\nresources: {}\n"},
            {"scripts/install.sh", "true"}});
  std::string advice;
  for (const Mistake& each : mistakes.errors) advice += each.advice + "\n";
  EXPECT_EQ(mistakes.errors.size(), 6U) << join(lines(mistakes), "\n");
  for (const char* told : {"child.yaml?", "install.sh?", "$name$ where $nmae$ may", "len?", "select?", "value?"})
    EXPECT_NE(advice.find(told), std::string::npos) << told << " in\n" << advice;
}

TEST(Mending, ends_where_what_was_mended_is_wrong_again) {
  std::size_t looks = 0;
  const Mistakes mistakes = all_mistakes([&](StackModel& model) {
    ++looks;
    model.files = std::make_unique<MapFiles>(std::map<std::string, std::string>{
        {"top.yaml",
         "heat_template_version: 2018-08-31\nparameters: {q: {type: string, default: x}}\n"
         "resources: {q: {type: OS::Heat::Value, properties: {value: {list_join: [',', 5]}}}}\n"}});
    StackRequest request;
    request.template_name = "top.yaml";
    build_model(model, request);
  });
  EXPECT_EQ(mistakes.errors.size(), 2U) << join(lines(mistakes), "\n");
  EXPECT_LT(looks, 10U);
}

TEST(Mending, says_nothing_of_what_is_right) {
  EXPECT_THAT(
      look({{"top.yaml",
             "heat_template_version: 2018-08-31\nresources: {a: {type: OS::Heat::Value, properties: {value: 1}}}\n"}})
          .errors,
      IsEmpty());
}

/// A block's map begins where its first key does: what the first resource lacks is not added to all resources.
TEST(Mending, what_the_first_resource_lacks_is_added_to_it_alone) {
  EXPECT_THAT(
      lines(look({{"top.yaml",
                   "heat_template_version: 2018-08-31\n"
                   "resources:\n"
                   "  a:\n"
                   "    type: OS::Heat::Vlue\n"
                   "  b: {type: OS::Heat::Vlue}\n"}})),
      ElementsAre("top.yaml:3 Property error: resources.a.properties: Property value not assigned",
                  "top.yaml:4 The Resource Type (OS::Heat::Vlue) could not be found. (Did you mean OS::Heat::Value?)",
                  "top.yaml:5 Property error: resources.b.properties: Property value not assigned",
                  "top.yaml:5 The Resource Type (OS::Heat::Vlue) could not be found. (Did you mean OS::Heat::Value?)"));
}

}  // namespace
}  // namespace hearth::metadata
