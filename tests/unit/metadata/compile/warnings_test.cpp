#include <gtest/gtest.h>

#include "base/text.hpp"
#include "metadata/compile/validation.hpp"
#include "tests/unit/metadata/stack_fixture.hpp"

namespace hearth::metadata {
namespace {

std::string warnings_of(Built& built) {
  std::string all;
  for (const Warnings& found : {warnings_as_written(built.root()), warnings_of_values(built.root())}) {
    for (const auto& [mark, text] : found) all += built.model.sources.text(mark) + ": " + text + "\n";
  }
  return all;
}

TEST(Warnings, warns_of_what_nothing_reads_and_of_deployments_that_never_signal) {
  const auto built = build(
      {{"top.yaml",
        "heat_template_version: 2018-08-31\nparameters:\n  used: {type: string, default: a}\n  idle: {type: string, "
        "default: b}\n  transport: {type: string, default: NO_SIGNAL}\nresources:\n"
        "  s: {type: OS::Heat::DeployedServer}\n"
        "  c: {type: OS::Heat::SoftwareConfig, properties: {config: {get_param: used}}}\n"
        "  p: {type: OS::Heat::SoftwareConfig, properties: {group: pupet}}\n"
        "  mute: {type: OS::Heat::SoftwareDeployment, properties: {config: {get_resource: c}, server: {get_resource: "
        "s}}}\n"
        "  lost: {type: OS::Heat::SoftwareDeployment, properties: {config: {get_resource: p}, server: {get_resource: "
        "s}, "
        "signal_transport: {get_param: transport}}}\n"},
       {"env.yaml", "parameter_defaults: {transprt: CFN_SIGNAL}\n"}});
  EXPECT_EQ(
      warnings_of(*built),
      "env.yaml:1:22: no template in use has the parameter transprt of parameter_defaults; did you mean transport?\n"
      "top.yaml:4:3: nothing reads the parameter idle\n"
      "top.yaml:10:3: mute never signals: its config has no group, so that no hook runs it; give it one, or "
      "signal_transport: NO_SIGNAL\n"
      "top.yaml:9:3: hearth-agent has no hook for the group pupet; did you mean puppet?\n");
}

TEST(Warnings, warns_of_a_group_that_nobody_has_a_hook_for) {
  const std::map<std::string, std::string> files = {
      {"top.yaml",
       "heat_template_version: 2018-08-31\nresources:\n  s: {type: OS::Heat::DeployedServer}\n"
       "  c: {type: OS::Heat::SoftwareConfig, properties: {group: fleetconf}}\n"
       "  d: {type: OS::Heat::SoftwareDeployment, properties: {config: {get_resource: c}, server: {get_resource: "
       "s}}}\n"}};
  const auto built = build(files);
  EXPECT_EQ(
      warnings_of(*built),
      "top.yaml:4:3: hearth-agent has no hook for the group fleetconf, and no element in ELEMENTS_PATH brings one; "
      "hearth help heat-config-hook: how to write it\n");
  built->model.tree->settings.brings_hook = [](const std::string& group) { return group == "fleetconf"; };
  EXPECT_EQ(warnings_of(*built), "");
}

TEST(Warnings, warns_of_an_output_of_a_deployment_that_its_config_does_not_declare) {
  const auto built = build(
      {{"top.yaml",
        "heat_template_version: 2018-08-31\nresources:\n"
        "  s: {type: OS::Heat::DeployedServer}\n"
        "  c: {type: OS::Heat::SoftwareConfig, properties: {group: script, outputs: [{name: token}]}}\n"
        "  n: {type: OS::Heat::SoftwareConfig, properties: {group: script}}\n"
        "  Init: {type: OS::Heat::SoftwareDeployment, properties: {config: {get_resource: c}, server: {get_resource: "
        "s}}}\n"
        "  Bare: {type: OS::Heat::SoftwareDeployment, properties: {config: {get_resource: n}, server: {get_resource: "
        "s}, input_values: {\n"
        "    a: {get_attr: [Init, tokn]},\n"
        "    b: {get_attr: [Init, token]}}}}\n"
        "  All: {type: OS::Heat::SoftwareDeploymentGroup, properties: {config: {get_resource: c}, servers: {one: "
        "{get_resource: s}}}}\n"
        "outputs:\n"
        "  stdout: {value: [{get_attr: [Init, deploy_stdout]}, {get_attr: [Init, deploy_stderr]}, {get_attr: [Init, "
        "deploy_status_code]}, {get_attr: [Bare, show]}, {get_attr: [All, deploy_stdouts]}, {get_attr: [All, "
        "token]}]}\n"
        "  typo: {value: {get_attr: [Init, deploy_stdot]}}\n"
        "  none: {value: {get_attr: [Bare, address]}}\n"
        "  all: {value: {get_attr: [All, addr]}}\n"}});
  const std::string never = ", so that no machine will ever tell it; ";
  EXPECT_EQ(warnings_of(*built),
            "top.yaml:8:26: the config c of Init has no output \"tokn\"" + never + "did you mean token?\n" +
                "top.yaml:13:35: the config c of Init has no output \"deploy_stdot\"" + never +
                "did you mean deploy_stdout?\n" + "top.yaml:14:35: the config n of Bare has no output \"address\"" +
                never + "it declares none\n" + "top.yaml:15:33: the config c of All has no output \"addr\"" + never +
                "it declares token\n");
}

TEST(Warnings, an_output_that_two_uses_of_a_template_ask_for_is_told_once) {
  const auto built = build(
      {{"top.yaml", "heat_template_version: 2018-08-31\nresources:\n  a: {type: in.yaml}\n  b: {type: in.yaml}\n"},
       {"in.yaml",
        "heat_template_version: 2018-08-31\nresources:\n"
        "  s: {type: OS::Heat::DeployedServer}\n"
        "  c: {type: OS::Heat::StructuredConfig, properties: {group: script, outputs: [{name: token}]}}\n"
        "  d: {type: OS::Heat::StructuredDeployment, properties: {config: {get_resource: c}, server: {get_resource: "
        "s}}}\n"
        "outputs: {o: {value: {get_attr: [d, tokn]}}}\n"}});
  EXPECT_EQ(
      warnings_of(*built),
      "in.yaml:6:37: the config c of d has no output \"tokn\", so that no machine will ever tell it; did you mean "
      "token?\n");
}

TEST(Warnings, warns_of_agents_metadata_among_a_servers_properties) {
  const auto built = build(
      {{"top.yaml",
        "heat_template_version: 2018-08-31\nresources:\n"
        "  right: {type: OS::Heat::DeployedServer, metadata: {os_net_config: {network_config: []}}, properties: "
        "{metadata: {rack: r1, rank: 4}}}\n"
        "  nova: {type: OS::Nova::Server, properties: {flavor: f, metadata: {rack: r1, mine: {a: b}, list: [1]}}}\n"
        "  left: {type: OS::Heat::DeployedServer, properties: {metadata: {rack: r1, os-collect-config: ''}}}\n"}});
  const std::string where = "; what agents shall read stands under \"metadata:\" beside \"properties:\"\n";
  EXPECT_EQ(warnings_of(*built),
            "top.yaml:4:79: properties.metadata of nova is Nova's, and no agent reads it (mine, list)" + where +
                "top.yaml:5:76: properties.metadata of left is Nova's, and no agent reads it (os-collect-config)" +
                where);
}

TEST(Warnings, warns_of_functions_misspelt_and_of_entries_that_never_win) {
  const auto built =
      build({{"top.yaml", "heat_template_version: 2018-08-31\noutputs: {o: {value: {list_jion: [a]}}}\n"},
             {"env.yaml", "resource_registry: {'OS::My::*': OS::Heat::None, 'OS::My::Port': OS::Heat::Value}\n"}});
  EXPECT_EQ(warnings_as_written(built->root()).size(), 2U);
}

}  // namespace
}  // namespace hearth::metadata
