#include "agent/heat_config/deployment/deployment.hpp"
#include "agent/heat_config/deployment/python_literal.hpp"
#include "agent/heat_config/deployment/signal_data.hpp"
#include "agent/heat_config/hooks/docker_config.hpp"
#include "agent/heat_config/hooks/hooks.hpp"
#include "agent/signal/target.hpp"
#include "agent/value/value.hpp"
#include "base/error.hpp"
#include "base/text.hpp"
#include "base/variable.hpp"

namespace hearth::agent {

namespace {

/// The input env_files: a list of {file_name, content}, as JSON or as Python text.
Json given_env_files(const Json& deployment) {
  for (const auto& [name, value] : named_inputs(deployment)) {
    if (name != "env_files" || !is_set(value)) continue;
    return value->is_string() ? parse_python_literal(value->get<std::string>(), "input env_files").value_or_throw()
                              : *value;
  }
  return Json::array();
}

void add_env_files(std::vector<std::string>& names, const Json& services) {
  if (!services.is_object()) return;
  for (const auto& [service, settings] : services.items()) {
    const Json* files = find_member(settings, "env_file");
    if (files == nullptr) continue;
    if (files->is_string()) names.push_back(files->get<std::string>());
    if (!files->is_array()) continue;
    for (const Json& file : *files) {
      if (file.is_string()) names.push_back(file.get<std::string>());
    }
  }
}

/// Services are the file's members (version 1 of the format), or those of its member "services".
std::vector<std::string> named_env_files(const Json& config) {
  std::vector<std::string> names;
  add_env_files(names, config);
  if (const Json* services = find_member(config, "services")) add_env_files(names, *services);
  return names;
}

void write_env_files(const Json& config, const Json& given, const fs::path& project, FileSystem& files) {
  for (const std::string& name : named_env_files(config)) {
    for (const Json& file : given) {
      if (text_member(file, "file_name") != name) continue;
      const fs::path path = project / name;  // an absolute name stays itself
      files.make_directories(path.parent_path(), 0700);
      files.write(path, text_member(file, "content"), {.mode = 0600});
    }
  }
}

}  // namespace

Json run_docker_compose_hook(const Json& deployment, const HookWorld& world) {
  const fs::path working =
      variable(world.env, "HEAT_DOCKER_COMPOSE_WORKING", "/var/lib/heat-config/heat-config-docker-compose");
  const fs::path project = working / checked_name(deployment);
  world.files.make_directories(project, 0700);
  if (input_text(deployment, "deploy_action") == "DELETE") return plain_answer("", "", 0);
  const Json config = container_config(deployment);
  if (config.is_null()) return plain_answer("", "", 0);
  write_env_files(config, given_env_files(deployment), project, world.files);
  const std::string compose = variable(world.env, "HEAT_DOCKER_COMPOSE_CMD", "docker-compose");
  return tool_answer(run_tool({.argv = {compose, "up", "-d", "--no-build"}, .cwd = project}, world).result);
}

}  // namespace hearth::agent
