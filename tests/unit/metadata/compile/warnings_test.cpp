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

TEST(Warnings, warns_of_functions_misspelt_and_of_entries_that_never_win) {
  const auto built =
      build({{"top.yaml", "heat_template_version: 2018-08-31\noutputs: {o: {value: {list_jion: [a]}}}\n"},
             {"env.yaml", "resource_registry: {'OS::My::*': OS::Heat::None, 'OS::My::Port': OS::Heat::Value}\n"}});
  EXPECT_EQ(warnings_as_written(built->root()).size(), 2U);
}

}  // namespace
}  // namespace hearth::metadata
