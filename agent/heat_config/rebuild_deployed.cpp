#include "agent/heat_config/rebuild_deployed.hpp"

#include "agent/heat_config/deployment/deployment.hpp"
#include "agent/heat_config/runner.hpp"
#include "base/error.hpp"
#include "base/python_json.hpp"
#include "base/text.hpp"

namespace hearth::agent {

namespace {

Json known_deployments(const HookWorld& world) {
  const std::string text = run_checked(
      world.runner,
      {.argv = {"os-apply-config", "--key", "deployments", "--type", "raw", "--key-default", "[]"}, .env = world.env});
  Json deployments = parse_python_json(trim(text), "the metadata's deployments").value_or_throw();
  if (!deployments.is_array()) throw Error(ErrorKind::input, "the metadata's deployments are no list");
  return deployments;
}

}  // namespace

int rebuild_deployed(const HookWorld& world) {
  const fs::path deployed = HeatConfigSettings::from(world.env).deployed;
  world.files.make_directories(deployed, 0700);
  for (const Json& deployment : known_deployments(world)) {
    const std::string id = text_member(deployment, "id");
    const fs::path file = deployed / cat(id, ".json");
    if (!is_safe_id(id) || is_hookless_group(text_member(deployment, "group")) || world.files.status(file)) continue;
    world.log.info(cat("Creating ", file.string(), " so that deployment will not be re-run"));
    world.files.write(file, "", {.mode = 0600});
  }
  return 0;
}

}  // namespace hearth::agent
