#include "metadata/compile/explain.hpp"

#include <gtest/gtest.h>

#include <algorithm>

#include "tests/unit/metadata/stack_fixture.hpp"

namespace hearth::metadata {
namespace {

const std::map<std::string, std::string> k_explain_files = {
    {"top.yaml",
     "heat_template_version: 2018-08-31\nparameters: {p: {type: string}}\nresources:\n"
     "  server: {type: OS::Heat::DeployedServer, properties: {name: node}}\n"
     "  c: {type: OS::Heat::SoftwareConfig, properties: {group: script, config: x, inputs: [{name: i}], outputs: "
     "[{name: o}]}}\n"
     "  d: {type: OS::Heat::SoftwareDeployment, properties: {name: first, config: {get_resource: c}, server: "
     "{get_resource: server}, input_values: {i: {get_param: p}}}}\n"
     "  e: {type: OS::Heat::SoftwareDeployment, properties: {name: late, config: {get_resource: c}, server: "
     "{get_resource: server}, input_values: {i: {get_attr: [d, o]}}}}\n"},
    {"env.yaml", "parameter_defaults:\n  p: from the environment\n"}};

TEST(Explain, names_the_file_and_line_of_a_value_and_what_put_it_there) {
  const auto built = build(k_explain_files);
  EXPECT_EQ(explained_lines(explain(built->model, compile(built->model, {}), "node", "deployments.first.inputs.i")),
            (std::vector<std::string>{"deployments.first.inputs.i = {", R"(  "name": "i",)", R"(  "description": "",)",
                                      R"(  "type": "String",)", R"(  "default": "",)",
                                      R"(  "value": "from the environment")", "}", "  from get_param p, top.yaml:6:147",
                                      "    from parameter_defaults, env.yaml:2:6", "  put there by d, top.yaml:6:3"}));
}

TEST(Explain, knows_what_is_made_of_the_sites_seed) {
  const auto built = build(k_explain_files);
  const Compiled compiled = compile(built->model, {});
  const auto is_derived = [&](const char* key) { return explain(built->model, compiled, "node", key).is_derived; };
  for (const char* key : {"deployments", "deployments.first", "deployments.first.id", "os-collect-config.cfn"})
    EXPECT_TRUE(is_derived(key)) << key;
  for (const char* key : {"deployments.first.config", "deployments.first.inputs.i"})
    EXPECT_FALSE(is_derived(key)) << key;
}

TEST(Explain, finds_what_is_named_by_its_number_where_it_finds_it_by_name) {
  const auto built = build(k_explain_files);
  const Compiled compiled = compile(built->model, {});
  const auto origin = [&](const char* key) {
    std::vector<std::string> lines = explained_lines(explain(built->model, compiled, "node", key));
    while (!lines.front().starts_with("  from")) lines.erase(lines.begin());
    return lines;
  };
  EXPECT_EQ(origin("deployments.0.inputs.0"), origin("deployments.first.inputs.i"));
  EXPECT_EQ(origin("deployments.0.inputs.0.value"), origin("deployments.first.inputs.i.value"));
}

TEST(Explain, takes_the_path_of_a_deployments_resource_for_its_name) {
  const auto built = build(k_explain_files);
  const Compiled compiled = compile(built->model, {});
  const auto lines = [&](const char* key) {
    std::vector<std::string> all = explained_lines(explain(built->model, compiled, "node", key));
    while (!all.front().starts_with("  from")) all.erase(all.begin());
    return all;
  };
  EXPECT_EQ(lines("deployments.d.inputs.i"), lines("deployments.first.inputs.i"));
  EXPECT_EQ(lines("deployments.e.inputs.i"), lines("deployments.late.inputs.i")) << "one that is held, too";
}

TEST(Explain, where_nothing_is_near_it_tells_what_there_is) {
  const auto built = build(k_explain_files);
  try {
    (void)explain(built->model, compile(built->model, {}), "node", "deployments.quite-another");
    FAIL();
  } catch (const Error& error) {
    EXPECT_NE(error.story().find("There is: first"), std::string::npos) << error.story();
  }
}

TEST(Explain, says_what_a_value_that_is_not_there_waits_for) {
  const auto built = build(k_explain_files);
  EXPECT_EQ(explained_lines(explain(built->model, compile(built->model, {}), "server", "deployments.late.inputs.i")),
            (std::vector<std::string>{"deployments.late.inputs.i is not there yet: it waits for d.o",
                                      "  from get_attr d.o, top.yaml:7:146", "    from attribute o of d, top.yaml:6:3",
                                      "  put there by e, top.yaml:7:3"}));
}

TEST(Explain, tells_all_that_a_value_waits_for_and_first_what_waits_for_nothing_else) {
  auto files = k_explain_files;
  files["top.yaml"] +=
      "  f: {type: OS::Heat::SoftwareDeployment, properties: {name: last, config: {get_resource: c}, server: "
      "{get_resource: server}, input_values: {i: {get_attr: [e, o]}}}}\n";
  const auto built = build(files);
  const Explanation found = explain(built->model, compile(built->model, {}), "node", "deployments.last.inputs.i");
  ASSERT_EQ(found.chain.size(), 2U);
  EXPECT_EQ(found.chain[0].event.text(), "d.o");
  EXPECT_EQ(found.chain[0].server, "node") << "whose machine has to answer";
  EXPECT_EQ(found.chain[0].type, "OS::Heat::SoftwareDeployment");
  EXPECT_EQ(found.chain[0].place, "top.yaml:6:3");
  EXPECT_TRUE(found.chain[0].behind.empty());
  EXPECT_EQ(found.chain[1].event.text(), "e.o");
  ASSERT_EQ(found.chain[1].behind.size(), 1U);
  EXPECT_EQ(found.chain[1].behind[0].text(), "d.o");
}

TEST(Explain, a_value_of_the_servers_own_metadata_may_wait_too) {
  auto files = k_explain_files;
  files["top.yaml"] +=
      "  other: {type: OS::Heat::DeployedServer, properties: {name: second}, metadata: {x: {get_attr: [d, o]}, y: "
      "1}}\n";
  const auto built = build(files);
  const Compiled compiled = compile(built->model, {});
  const Explanation found = explain(built->model, compiled, "second", "x");
  EXPECT_FALSE(found.value);
  ASSERT_EQ(found.waits.size(), 1U);
  EXPECT_EQ(found.waits[0].text(), "d.o");
  EXPECT_EQ(explained_lines(found).front(), "x is not there yet: it waits for d.o");
  EXPECT_TRUE(explain(built->model, compiled, "second", "y").value);
}

TEST(Explain, knows_the_nearest_name) {
  const auto built = build(k_explain_files);
  const Compiled compiled = compile(built->model, {});
  EXPECT_THROW((void)explain(built->model, compiled, "nod", "deployments"), Error);
  EXPECT_THROW((void)explain(built->model, compiled, "node", "deploymnts"), Error);
  const std::vector<std::string> keys = keys_of(compiled, "node");
  EXPECT_NE(std::find(keys.begin(), keys.end(), "deployments"), keys.end());
}

}  // namespace
}  // namespace hearth::metadata
