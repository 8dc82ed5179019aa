#include "agent/heat_config/deployment/deployment.hpp"
#include "agent/heat_config/hooks/hooks.hpp"
#include "base/error.hpp"
#include "base/python_json.hpp"
#include "base/text.hpp"
#include "base/variable.hpp"

namespace hearth::agent {

namespace {

Json init_section(const Json& deployment) {
  const Json* config = find_member(deployment, "config");
  if (config == nullptr) return Json::object();
  if (!config->is_string()) return *config;
  return parse_python_json(config->get<std::string>(), "the config").value_or_throw();
}

}  // namespace

Json run_cfn_init_hook(const Json& deployment, const HookWorld& world) {
  Json metadata = Json::object();
  metadata["AWS::CloudFormation::Init"] = init_section(deployment);
  const fs::path directory = variable(world.env, "HEAT_CFN_INIT_LAST_METADATA_DIR", "/var/cache/heat-cfntools");
  world.files.make_directories(directory, 0700);
  world.files.write(directory / "last_metadata", python_json(metadata), {.mode = 0700});
  return tool_answer(run_tool({.argv = {variable(world.env, "HEAT_CFN_INIT_CMD", "cfn-init")}}, world).result);
}

}  // namespace hearth::agent
