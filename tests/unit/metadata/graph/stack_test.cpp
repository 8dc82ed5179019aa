#include "metadata/graph/stack.hpp"

#include <gtest/gtest.h>

#include "base/text.hpp"
#include "metadata/model/value_text.hpp"
#include "tests/unit/metadata/stack_fixture.hpp"

namespace hearth::metadata {
namespace {

constexpr const char* k_stack_top = R"(
heat_template_version: 2018-08-31
resources:
  server: {type: OS::Heat::DeployedServer, properties: {name: node}}
  names:
    type: OS::Heat::SoftwareConfig
    properties: {group: script, config: hostname, outputs: [{name: hostname}]}
  ask:
    type: OS::Heat::SoftwareDeployment
    properties: {config: {get_resource: names}, server: {get_resource: server}}
  greeting:
    type: OS::Heat::Value
    properties: {value: {str_replace: {template: hello H, params: {H: {get_attr: [ask, hostname]}}}}}
  constant: {type: OS::Heat::Value, properties: {value: 5}}
  group:
    type: OS::Heat::ResourceGroup
    properties: {count: 2, resource_def: {type: member.yaml, properties: {who: {get_attr: [ask, hostname]}, index: '%index%'}}}
outputs:
  greeting: {value: {get_attr: [greeting, value]}}
  members: {value: {get_attr: [group, said]}}
  refs: {value: {get_attr: [group, refs_map]}}
)";
constexpr const char* k_member = R"(
heat_template_version: 2018-08-31
parameters: {who: {type: string}, index: {type: number}}
resources: {v: {type: OS::Heat::Value, properties: {value: {list_join: ['-', [{get_param: who}, {str_replace: {template: n, params: {n: {get_param: index}}}}]]}}}}
outputs: {said: {value: {get_attr: [v, value]}}}
)";

TEST(Stack, knows_what_somebody_else_made_by_its_id_and_by_what_an_inventory_tells_of_that) {
  const auto built = build({{"top.yaml", R"(heat_template_version: 2018-08-31
resources:
  theirs: {type: OS::Nova::Server, external_id: EXT-1}
  nested: {type: OS::Heat::ResourceGroup, external_id: {str_replace: {template: EXT-N, params: {N: 2}}}}
outputs:
  id: {value: {get_resource: theirs}}
  other: {value: {get_resource: nested}}
  address: {value: {get_attr: [theirs, first_address]}}
)"}});
  Stack& root = built->root();
  EXPECT_EQ(python_str(root.output("id")), "EXT-1");
  EXPECT_EQ(python_str(root.output("other")), "EXT-2");
  EXPECT_TRUE(root.output("address").is_waiting());
  EXPECT_EQ(root.nested_of(*root.find("nested")), nullptr);
  (void)root.learn("EXT-1", map_of({{"first_address", Value::string("192.0.2.7")}}));
  EXPECT_EQ(python_str(root.output("address")), "192.0.2.7");
}

TEST(Stack, tells_names_for_advice_until_half_a_million_were_compared) {
  std::string top = "heat_template_version: 2018-08-31\nresources:\n";
  for (int i = 0; i < 1000; ++i) top += cat("  n", i, ": {type: OS::Heat::None}\n");
  const auto built = build({{"top.yaml", top}});
  ASSERT_EQ(built->root().resources().size(), 1000U);
  std::size_t told = 0;
  for (int i = 0; i < 2000; ++i) told += built->root().resource_names().size();
  EXPECT_EQ(told, 500'000U);
}

/// 40 values, each made of the one before by this expression.
std::string doubling(const std::string& first, const std::string& expression) {
  std::string text =
      "heat_template_version: 2018-08-31\nresources:\n  v0: {type: OS::Heat::Value, properties: {value: " + first +
      "}}\n";
  for (int i = 1; i < 40; ++i) {
    const std::string before = "{get_attr: [v" + std::to_string(i - 1) + ", value]}";
    text += "  v" + std::to_string(i) +
            ": {type: OS::Heat::Value, properties: {value: " + replace_all(expression, "BEFORE", before) + "}}\n";
  }
  return text + "outputs: {o: {value: {get_attr: [v39, value]}}}\n";
}

TEST(Stack, refuses_values_that_grow_without_end_before_they_take_the_memory) {
  const std::string thousand = "[" + join(std::vector<std::string>(1000, "x"), ",") + "]";
  const std::string wide =
      "heat_template_version: 2018-08-31\nresources: {v: {type: OS::Heat::Value, properties: "
      "{value: {repeat: {template: {repeat: {template: {repeat: {template: a-b-c, for_each: {c: L}}}, "
      "for_each: {b: L}}}, for_each: {a: L}}}}}}\noutputs: {o: {value: {get_attr: [v, value]}}}\n";
  for (const std::string& text :
       {doubling("xxxxxxxxxx", "{str_replace: {template: AA, params: {A: BEFORE}}}"),
        doubling("[x, y]", "{list_concat: [BEFORE, BEFORE]}"), doubling("xxxx", "[BEFORE, BEFORE]"),
        doubling("xxxx", "{list_join: ['-', [BEFORE, BEFORE]]}"), replace_all(wide, "L", thousand)}) {
    const auto built = build({{"top.yaml", text}});
    try {
      (void)built->root().output("o");
      ADD_FAILURE() << text.substr(0, 200);
    } catch (const Fault& fault) {
      EXPECT_NE(std::string(fault.what()).find("comes to more than 16 MiB"), std::string::npos) << fault.what();
      EXPECT_TRUE(fault.mark().known());
    }
  }
}

TEST(Stack, refuses_texts_that_yaql_makes_without_end) {
#ifdef __SANITIZE_THREAD__
  GTEST_SKIP() << "one thread reads for a quarter of an hour under TSan";
#endif
  for (const char* expression :
       {"range(60).aggregate($1 + $1, xx)", "range(60).aggregate($1.replace(x, xx), x)", "ab * 1000000000",
        "[1] * 1000000000", "range(60).aggregate([$1, $1], 1).toList()",
        "range(60).aggregate(format('{0}{0}', $1), xx)", "range(60).aggregate($1.replace(regex(x), xx), x)"}) {
    const auto built = build({{"top.yaml", std::string("heat_template_version: 2018-08-31\nresources: {v: {type: "
                                                       "OS::Heat::Value, properties: {value: {yaql: {expression: \"") +
                                               expression + "\", data: {}}}}}}\n"}});
    try {
      (void)built->root().properties(*built->root().find("v"));
      ADD_FAILURE() << expression;
    } catch (const Fault& fault) {
      EXPECT_NE(std::string(fault.what()).find("more than 16 MiB"), std::string::npos) << expression << fault.what();
    }
  }
}

TEST(Stack, counts_what_all_resources_together_make) {
  const std::string megabyte =
      "{str_replace: {template: " + std::string(1000, 'A') + ", params: {A: " + std::string(1000, 'b') + "}}}";
  std::string text =
      "heat_template_version: 2018-08-31\nresources:\n  g:\n    type: OS::Heat::ResourceGroup\n"
      "    properties: {count: 10, resource_def: {type: n.yaml}}\n"
      "outputs: {o: {value: {get_attr: [g, o]}}}\n";
  const auto built = build({{"top.yaml", text},
                            {"n.yaml",
                             "heat_template_version: 2018-08-31\nresources: {v: {type: OS::Heat::Value, "
                             "properties: {value: " +
                                 megabyte + "}}}\noutputs: {o: {value: {get_attr: [v, value]}}}\n"}});
  built->model.tree->settings.most_made = 5U << 20U;
  EXPECT_THROW((void)built->root().output("o"), Fault);
  const auto enough = build({{"top.yaml", text}, {"n.yaml", built->model.files->read("n.yaml").value()}});
  EXPECT_EQ(enough->root().output("o").items().size(), 10U);
}

TEST(Stack, counts_the_memory_of_many_short_texts_too) {
  std::string items;
  for (int i = 0; i < 200; ++i) items += cat(i == 0 ? "'" : ", '", i, "'");
  const auto built =
      build({{"top.yaml", cat("heat_template_version: 2018-08-31\noutputs: {o: {value: {repeat: {template: "
                              "x, for_each: {a: [",
                              items, "], b: [", items, "]}}}}}\n")}});
  built->model.tree->settings.most_made = 2U << 20U;  // 40,000 texts of one letter: 0.7 MiB with their values
  EXPECT_THROW((void)built->root().output("o"), Fault);
}

TEST(Stack, another_salt_is_another_random_text) {
  const auto made = [](const std::string& salt) {
    const auto built = build({{"top.yaml",
                               "heat_template_version: 2018-08-31\nresources: {r: {type: OS::Heat::RandomString, "
                               "properties: {length: 12" +
                                   salt +
                                   "}}}\n"
                                   "outputs: {o: {value: {get_attr: [r, value]}}}\n"}});
    return built->root().output("o");
  };
  EXPECT_EQ(made(", salt: ''"), made(""));
  EXPECT_NE(made(", salt: one"), made(""));
  EXPECT_NE(made(", salt: one"), made(", salt: two"));
}

TEST(Stack, waits_with_the_event_for_what_only_the_run_tells) {
  const auto built = build({{"top.yaml", k_stack_top}, {"member.yaml", k_member}});
  const Value greeting = built->root().output("greeting");
  ASSERT_TRUE(greeting.is_waiting());
  EXPECT_EQ(greeting.events()[0].text(), "ask.hostname");
  EXPECT_EQ(json_text(built->root().attribute_of(*built->root().find("constant"), {Value::string("value")})), "5");
}

TEST(Stack, evaluates_anew_only_what_used_what_it_learns) {
  const auto built = build({{"top.yaml", k_stack_top}, {"member.yaml", k_member}});
  (void)built->root().output("greeting");
  (void)built->root().output("members");
  (void)built->root().properties(*built->root().find("constant"));
  const std::vector<Resource*> changed = built->root().learn("ask", map_of({{"hostname", Value::string("n1")}}));
  for (const Resource* each : changed) EXPECT_NE(each->name, "constant");
  EXPECT_EQ(json_text(built->root().output("greeting")), "\"hello n1\"");
  EXPECT_EQ(json_text(built->root().output("members")), R"(["n1-0", "n1-1"])");
  built->root().learn("ask", map_of({{"hostname", Value::string("n2")}}));
  EXPECT_EQ(json_text(built->root().output("members")), R"(["n2-0", "n2-1"])");
}

/// A stack that lives long learns thousands of times.
TEST(Stack, counts_members_that_are_made_anew_once) {
  const auto built = build({{"top.yaml", k_stack_top}, {"member.yaml", k_member}});
  built->model.tree->settings.most_resources = 20;
  for (int i = 0; i < 30; ++i) {
    built->root().learn("ask", map_of({{"hostname", Value::string(cat("n", i))}}));
    EXPECT_EQ(json_text(built->root().output("members")), cat("[\"n", i, "-0\", \"n", i, "-1\"]"));
  }
}

TEST(Stack, evaluates_anew_what_used_a_deployment_that_does_not_run_at_creation) {
  const auto built = build({{"top.yaml", R"(heat_template_version: 2018-08-31
resources:
  server: {type: OS::Heat::DeployedServer}
  config: {type: OS::Heat::SoftwareConfig, properties: {outputs: [{name: result}]}}
  later:
    type: OS::Heat::SoftwareDeployment
    properties: {config: {get_resource: config}, server: {get_resource: server}, actions: [UPDATE]}
  told: {type: OS::Heat::Value, properties: {value: {get_attr: [later, result]}}}
)"}});
  const auto told = [&] {
    return json_text(built->root().attribute_of(*built->root().find("told"), {Value::string("value")}));
  };
  EXPECT_EQ(told(), "null");
  (void)built->root().learn("later", map_of({{"result", Value::string("ran")}}));
  EXPECT_EQ(told(), "\"ran\"");
}

TEST(Stack, keeps_the_ids_of_members_when_they_are_made_anew) {
  const auto built = build({{"top.yaml", k_stack_top}, {"member.yaml", k_member}});
  const std::string before = json_text(built->root().output("refs"));
  built->root().learn("ask", map_of({{"hostname", Value::string("n1")}}));
  EXPECT_EQ(json_text(built->root().output("refs")), before);
}

/// A group of three with a removal policy.
std::string group_without(const std::string& entry) {
  return R"(heat_template_version: 2018-08-31
resources:
  group:
    type: OS::Heat::ResourceGroup
    properties:
      count: 3
      resource_def: {type: one.yaml}
      removal_policies: [{resource_list: [)" +
         entry + R"(]}]
outputs:
  names: {value: {get_attr: [group, refs_map]}}
  removed: {value: {get_attr: [group, removed_rsrc_list]}}
)";
}

std::string names_of_members(Stack& root) {
  std::string names;
  for (Resource* each : root.nested_of(*root.find("group"))->resources()) names += each->name + " ";
  return names;
}

TEST(Stack, leaves_out_the_member_whose_reference_a_removal_policy_names) {
  const std::string own = R"(heat_template_version: 2018-08-31
resources: {s: {type: OS::Heat::DeployedServer}}
outputs: {OS::stack_id: {value: {get_resource: s}}}
)";
  const auto all = build({{"top.yaml", group_without("")}, {"one.yaml", own}});
  EXPECT_EQ(names_of_members(all->root()), "0 1 2 ");
  const std::string server = all->root().find_path("group.1.s")->uuid;
  const std::string member = all->root().find_path("group.0")->uuid;
  for (const auto& [reference, names, removed] :
       {std::tuple(server, "0 2 3 ", R"(["1"])"), std::tuple(member, "1 2 3 ", R"(["0"])"),
        std::tuple(std::string("nobody"), "0 1 2 ", R"(["nobody"])"),
        std::tuple(std::string("2"), "0 1 3 ", R"(["2"])")}) {
    const auto less = build({{"top.yaml", group_without(reference)}, {"one.yaml", own}});
    EXPECT_EQ(names_of_members(less->root()), names) << reference;
    EXPECT_EQ(json_text(less->root().output("removed")), removed) << reference;
  }
}

TEST(Stack, refuses_a_member_whose_type_is_no_text) {
  const auto built = build({{"top.yaml", R"(heat_template_version: 2018-08-31
resources: {chain: {type: OS::Heat::ResourceChain, properties: {resources: [[OS::Heat::None]]}}}
)"}});
  EXPECT_THROW((void)built->root().nested_of(*built->root().find("chain")), Fault);
}

TEST(Stack, finds_resources_by_their_paths) {
  const auto built = build({{"top.yaml", k_stack_top}, {"member.yaml", k_member}});
  ASSERT_NE(built->root().find_path("group.1.v"), nullptr);
  EXPECT_EQ(built->root().find_path("group.1.v")->path, "group.1.v");
  EXPECT_EQ(built->root().find_path("group.2"), nullptr);
}

TEST(Stack, shows_the_circle_in_which_values_depend_on_each_other) {
  const auto built = build({{"top.yaml",
                             "heat_template_version: 2018-08-31\nresources:\n"
                             "  a: {type: OS::Heat::Value, properties: {value: {get_attr: [b, value]}}}\n"
                             "  b: {type: OS::Heat::Value, properties: {value: {get_attr: [a, value]}}}\n"}});
  try {
    (void)built->root().properties(*built->root().find("a"));
    FAIL();
  } catch (const Fault& fault) {
    EXPECT_EQ(fault.type(), "CircularDependencyException");
    EXPECT_EQ(fault.text(), "Circular Dependency Found: a -> b -> a");
  }
}

TEST(Stack, gives_parameter_defaults_to_nested_templates_as_well) {
  const auto built = build({{"top.yaml",
                             "heat_template_version: 2018-08-31\nresources: {n: {type: My::Node}}\n"
                             "outputs: {o: {value: {get_attr: [n, o]}}}\n"},
                            {"node.yaml",
                             "heat_template_version: 2018-08-31\nparameters: {p: {type: string, default: d}}\n"
                             "outputs: {o: {value: {get_param: p}}}\n"},
                            {"env.yaml", "parameter_defaults: {p: e}\nresource_registry: {'My::Node': node.yaml}\n"}});
  const Value value = built->root().output("o");
  EXPECT_EQ(json_text(value), "\"e\"");
  EXPECT_EQ(built->model.sources.text(value.mark()), "env.yaml:1:25");
}

std::string password_of(const std::string& name, const std::string& seed) {
  StackModel model;
  model.files = std::make_unique<MapFiles>(std::map<std::string, std::string>{
      {"top.yaml", "heat_template_version: 2018-08-31\nresources: {pw: {type: OS::Heat::RandomString}}\n"}});
  StackRequest request;
  request.name = name;
  request.template_name = "top.yaml";
  request.settings.seed = seed;
  build_model(model, request);
  return model.root->reference_of(*model.root->find("pw")).text();
}

TEST(Stack, has_random_texts_that_follow_from_its_seed_and_its_own_name) {
  EXPECT_EQ(password_of("a", "s"), password_of("a", "s"));
  EXPECT_NE(password_of("a", "s"), password_of("b", "s"));
  EXPECT_NE(password_of("a", "s"), password_of("a", "t"));
  EXPECT_NE(password_of("a", ""), password_of("a", "")) << "there is no default seed";
}

}  // namespace
}  // namespace hearth::metadata
