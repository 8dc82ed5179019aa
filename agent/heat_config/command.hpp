// The programs of heat-config at the edge of the world: each reads its environment, files and stdin here only.
#pragma once

#include <string>
#include <vector>

namespace hearth::agent {

/// 55-heat-config. `--resend-pending` instead sends the signals again that could not be delivered, and exits 1 when
/// some are still pending. It starts its own applets as "/proc/self/exe NAME": heat-config-script-hook,
/// heat-config-notify.
int heat_config_main(const std::vector<std::string>& args);

/// heat-config-notify CONFIG.json < DATA.
int heat_config_notify_main(const std::vector<std::string>& args);

/// heat-config-script-hook < DEPLOYMENT: the hook for group "script".
int script_hook_main(const std::vector<std::string>& args);

}  // namespace hearth::agent
