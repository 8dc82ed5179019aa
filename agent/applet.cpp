#include "agent/applet.hpp"

#include <algorithm>

#include "agent/apply/command.hpp"
#include "agent/apply/options.hpp"
#include "agent/cfn/command.hpp"
#include "agent/collect/command.hpp"
#include "agent/deploy/command.hpp"
#include "agent/doctor/command.hpp"
#include "agent/doctor/status.hpp"
#include "agent/heat_config/command.hpp"
#include "agent/net/command.hpp"
#include "agent/net/options.hpp"
#include "agent/refresh/command.hpp"
#include "agent/run_parts/command.hpp"

namespace hearth::agent {

const std::vector<Applet>& applets() {
  static const std::vector<Applet> table = {
      {"os-collect-config", "os-collect-config", "collects metadata and runs a command when they changed",
       [](const Invocation& call) { return os_collect_config_main(call.words, call.argv); }, os_collect_config_command},
      {"os-apply-config", "os-apply-config", "renders templates from metadata",
       [](const Invocation& call) { return os_apply_config_main(call.words); }, os_apply_config_command},
      {"os-config-applier", "os-config-applier", "the old name of os-apply-config",
       [](const Invocation& call) { return os_apply_config_main(call.words); }, os_apply_config_command},
      {"os-refresh-config", "os-refresh-config", "runs the phases of configuration scripts",
       [](const Invocation& call) { return os_refresh_config_main(call.words); }, os_refresh_config_command},
      {"os-net-config", "os-net-config", "configures the machine's network",
       [](const Invocation& call) { return os_net_config_main(call.words); }, net::os_net_config_command},
      {"dib-run-parts", "dib-run-parts", "runs the scripts of a directory in order",
       [](const Invocation& call) { return dib_run_parts_main(call.words); }},
      {"55-heat-config", "55-heat-config", "runs the software deployments that have not run yet",
       [](const Invocation& call) { return heat_config_main(call.words); }},
      {"heat-config-notify", "heat-config-notify", "signals the result of a deployment",
       [](const Invocation& call) { return heat_config_notify_main(call.words); }},
      {"heat-config-hook", "", "HOOK: a built-in hook, by name",
       [](const Invocation& call) {
         const bool named = !call.words.empty();
         return hook_main(named ? call.words.front() : "", {call.words.begin() + (named ? 1 : 0), call.words.end()});
       }},
      {"heat-config-rebuild-deployed", "heat-config-rebuild-deployed", "marks all known deployments as run",
       [](const Invocation& call) { return rebuild_deployed_main(call.words); }},
      {"50-heat-config-docker-cmd", "50-heat-config-docker-cmd", "removes containers whose deployment is gone",
       [](const Invocation& call) { return docker_cmd_main(call.words); }},
      {"50-heat-config-docker-compose", "50-heat-config-docker-compose",
       "stops compose projects whose deployment is gone",
       [](const Invocation& call) { return docker_compose_main(call.words); }},
      {"cfn-init", "cfn-init", "applies AWS::CloudFormation::Init",
       [](const Invocation& call) { return cfn_init_main(call.words); }, cfn_init_command},
      {"cfn-signal", "cfn-signal", "signals a wait condition",
       [](const Invocation& call) { return cfn_signal_main(call.words); }, cfn_signal_command},
      {"cfn-get-metadata", "cfn-get-metadata", "prints the metadata of a resource",
       [](const Invocation& call) { return cfn_get_metadata_main(call.words); }, cfn_get_metadata_command},
      {"cfn-hup", "cfn-hup", "runs hooks when the metadata of a resource have changed",
       [](const Invocation& call) { return cfn_hup_main(call.words); }, cfn_hup_command},
      {"deploy", "", "the agent of the deploy ramdisk", [](const Invocation& call) { return deploy_main(call.words); }},
      {"write-image", "", "URL DISK: writes a disk image to a disk while it is fetched",
       [](const Invocation& call) { return write_image_main(call.words); }},
      {"init", "", "process 1 of the deploy ramdisk", [](const Invocation& call) { return init_main(call.words); }},
      {"modprobe", "", "NAME: loads a kernel module, in the deploy ramdisk",
       [](const Invocation& call) { return modprobe_main(call.words); }},
      {"status", "", "what the agents of this machine are doing",
       [](const Invocation& call) { return status_main(call.words); }, status_command},
      {"doctor", "", "why does a deployment of this machine stay IN_PROGRESS?",
       [](const Invocation& call) { return doctor_main(call.words); }, doctor_command},
  };
  return table;
}

const Applet* find_applet(std::string_view name) {
  const std::vector<Applet>& table = applets();
  const auto found =
      std::find_if(table.begin(), table.end(), [name](const Applet& applet) { return applet.name == name; });
  return found == table.end() ? nullptr : &*found;
}

}  // namespace hearth::agent
