// The programs of heat-config at the edge of the world: each reads its environment, files and stdin here only.
#pragma once

#include <string>
#include <vector>

namespace hearth::agent {

/// 55-heat-config. `--resend-pending` instead sends the signals again that could not be delivered, and exits 1 when
/// some are still pending. It starts its own applets as "/proc/self/exe NAME": heat-config-hook, heat-config-notify.
/// Runs wait for each other, so that no deployment runs twice. Of all programs here --help does nothing else.
int heat_config_main(const std::vector<std::string>& args);

/// heat-config-notify CONFIG.json < DATA.
int heat_config_notify_main(const std::vector<std::string>& args);

/// The built-in hook of that name < DEPLOYMENT. Exit status: 0 with an answer on stdout, whatever the answer is; 1 when
/// stdin is no deployment.
int hook_main(const std::string& name, const std::vector<std::string>& args);

/// heat-config-rebuild-deployed.
int rebuild_deployed_main(const std::vector<std::string>& args);

/// 50-heat-config-docker-cmd and 50-heat-config-docker-compose.
int docker_cmd_main(const std::vector<std::string>& args);
int docker_compose_main(const std::vector<std::string>& args);

}  // namespace hearth::agent
