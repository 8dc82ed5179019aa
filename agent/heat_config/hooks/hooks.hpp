// The built-in hooks, as rows of a table. Each gets a deployment and returns its answer: deploy_stdout, deploy_stderr,
// deploy_status_code and the deployment's declared outputs. What goes wrong in the work is an answer that says so;
// what is thrown is a deployment that makes no sense.
//
// Settings, files, modes and command lines are those of OpenStack's heat-agents.
#pragma once

#include <string_view>
#include <vector>

#include "agent/heat_config/hooks/tools.hpp"

namespace hearth::agent {

struct Hook {
  std::string_view name;
  std::string_view summary;  ///< one line
  Json (*run)(const Json& deployment, const HookWorld& world) = nullptr;
};

/// All built-in hooks, in the order of --help.
[[nodiscard]] const std::vector<Hook>& hooks();
/// Null when there is none of that name.
[[nodiscard]] const Hook* find_hook(std::string_view name);

/// Writes the config's text to a file and executes it; a text without "#!" is run by /bin/sh. Inputs are variables.
[[nodiscard]] Json run_script_hook(const Json& deployment, const HookWorld& world);
/// `puppet apply` of the config's text; inputs are facts and, with enable_hiera, a hiera data file.
[[nodiscard]] Json run_puppet_hook(const Json& deployment, const HookWorld& world);
/// Writes hiera.yaml from config.hierarchy and a JSON data file for each of config.datafiles.
[[nodiscard]] Json run_hiera_hook(const Json& deployment, const HookWorld& world);
/// Writes each value of the config to the file that its key names.
[[nodiscard]] Json run_json_file_hook(const Json& deployment, const HookWorld& world);
/// Runs os-apply-config on all metadata.
[[nodiscard]] Json run_apply_config_hook(const Json& deployment, const HookWorld& world);
/// Hands the config to cfn-init.
[[nodiscard]] Json run_cfn_init_hook(const Json& deployment, const HookWorld& world);
/// `ansible-playbook` of the config's text; inputs are extra variables.
[[nodiscard]] Json run_ansible_hook(const Json& deployment, const HookWorld& world);
/// `chef-client` in local mode; the config is the run list, inputs are node attributes.
[[nodiscard]] Json run_chef_hook(const Json& deployment, const HookWorld& world);
/// One `docker run` or `docker exec` for each container of the config.
[[nodiscard]] Json run_docker_cmd_hook(const Json& deployment, const HookWorld& world);
/// `docker-compose up` of a project whose file 50-heat-config-docker-compose has written.
[[nodiscard]] Json run_docker_compose_hook(const Json& deployment, const HookWorld& world);

}  // namespace hearth::agent
