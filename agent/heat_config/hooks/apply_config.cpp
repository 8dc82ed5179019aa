#include "agent/heat_config/hooks/hooks.hpp"
#include "base/variable.hpp"

namespace hearth::agent {

Json run_apply_config_hook(const Json& /*deployment*/, const HookWorld& world) {
  return tool_answer(
      run_tool({.argv = {variable(world.env, "HEAT_APPLY_CONFIG_CMD", "os-apply-config")}}, world).result);
}

}  // namespace hearth::agent
