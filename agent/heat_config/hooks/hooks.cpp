#include "agent/heat_config/hooks/hooks.hpp"

#include "agent/heat_config/deployment/signal_data.hpp"

namespace hearth::agent {

namespace {

constexpr int k_unsupported = 1;

Json refuse_salt(const Json& /*deployment*/, const HookWorld& /*world*/) {
  return plain_answer("",
                      "Deployments of group salt are not supported by hearth-agent. Use the group script and call "
                      "salt-call --local there, or put another hook named salt before this one ($HEAT_CONFIG_HOOKS).",
                      k_unsupported);
}

Json refuse_kubelet(const Json& /*deployment*/, const HookWorld& /*world*/) {
  return plain_answer("",
                      "Deployments of group kubelet are not supported by hearth-agent: they need a kubelet from before "
                      "Kubernetes 1.2. Deploy static pods with the group json-file instead.",
                      k_unsupported);
}

}  // namespace

const std::vector<Hook>& hooks() {
  static const std::vector<Hook> table = {
      {"script", "runs the config as a program", run_script_hook},
      {"puppet", "puppet apply", run_puppet_hook},
      {"hiera", "writes hiera data", run_hiera_hook},
      {"json-file", "writes JSON files", run_json_file_hook},
      {"apply-config", "os-apply-config", run_apply_config_hook},
      {"cfn-init", "cfn-init with the config as metadata", run_cfn_init_hook},
      {"ansible", "ansible-playbook", run_ansible_hook},
      {"chef", "chef-client in local mode", run_chef_hook},
      {"docker-cmd", "docker run, docker exec", run_docker_cmd_hook},
      {"docker-compose", "docker-compose up", run_docker_compose_hook},
      {"salt", "not supported: answers with a failure", refuse_salt},
      {"kubelet", "not supported: answers with a failure", refuse_kubelet},
  };
  return table;
}

const Hook* find_hook(std::string_view name) {
  for (const Hook& hook : hooks()) {
    if (hook.name == name) return &hook;
  }
  return nullptr;
}

}  // namespace hearth::agent
