#include "agent/heat_config/docker_cleanup.hpp"

#include <algorithm>
#include <map>
#include <set>

#include "agent/heat_config/deployment/deployment.hpp"
#include "agent/heat_config/yaml_writer.hpp"
#include "agent/value/value.hpp"
#include "base/error.hpp"
#include "base/python_json.hpp"
#include "base/text.hpp"
#include "base/variable.hpp"

namespace hearth::agent {

namespace {

using Words = std::vector<std::string>;

/// The list of deployments; nothing, with a warning, when there is no valid one: then nothing may be removed.
std::optional<Json> deployments(const HookWorld& world) {
  const std::string path = variable(world.env, "HEAT_SHELL_CONFIG", "/var/run/heat-config/heat-config");
  const std::optional<std::string> text = world.files.read(path);
  if (!text) {
    world.log.warning(cat("No config file ", path));
    return std::nullopt;
  }
  Result<Json> list = parse_python_json(*text, path);
  if (list && list->is_array()) return std::move(list).value();
  world.log.warning(cat("Could not load config json: ", list ? "it is no list" : list.error().text()));
  return std::nullopt;
}

class DockerCleaner {
 public:
  explicit DockerCleaner(const HookWorld& world)
      : world_(world), docker_(variable(world.env, "HEAT_DOCKER_CMD", "docker")) {}

  void remove_orphans(const std::set<std::string>& wanted) {
    const Words ids =
        split_words(run({"ps", "-a", "--filter", "label=managed_by=docker-cmd", "--format", "{{.Label \"config_id\"}}"})
                        .value_or(""));
    for (const std::string& id : std::set<std::string>(ids.begin(), ids.end())) {
      if (wanted.count(id) > 0) continue;
      world_.log.info(cat(id, " no longer exists, deleting containers"));
      const std::optional<std::string> containers =
          run({"ps", "-q", "-a", "--filter", "label=managed_by=docker-cmd", "--filter", cat("label=config_id=", id)});
      for (const std::string& container : split_words(containers.value_or(""))) {
        if (!run({"rm", "-f", container})) world_.log.error(cat("Error removing container: ", container));
      }
    }
  }

  void rename() {
    std::set<std::string> taken;
    std::map<std::string, std::string> wanted;
    const std::optional<std::string> list = run({"ps", "-a", "--format", "{{.Names}} {{.Label \"container_name\"}}"});
    for (const std::string& line : split_lines(list.value_or(""))) {
      const Words words = split_words(line);
      if (words.empty()) continue;
      taken.insert(words.front());
      if (words.front() != words.back()) wanted[words.front()] = words.back();
    }
    for (const auto& [current, name] : wanted) {
      if (taken.count(name) > 0) {
        world_.log.info(cat("Cannot rename \"", current, "\" since \"", name, "\" still exists"));
      } else {
        (void)run({"rename", current, name});
      }
    }
  }

 private:
  std::optional<std::string> run(const Words& words) {
    Words argv = {docker_};
    argv.insert(argv.end(), words.begin(), words.end());
    try {
      CommandResult result = world_.runner.run({.argv = argv, .env = world_.env});
      if (succeeded(result.status)) return std::move(result.out);
      world_.log.warning(cat(shell_join(argv), ": ", describe(result.status), " ", trim(result.err)));
    } catch (const Error& error) {
      world_.log.warning(error.what());
    }
    return std::nullopt;
  }

  const HookWorld& world_;
  std::string docker_;
};

class ComposeProjects {
 public:
  explicit ComposeProjects(const HookWorld& world)
      : world_(world),
        directory_(
            variable(world.env, "HEAT_DOCKER_COMPOSE_WORKING", "/var/lib/heat-config/heat-config-docker-compose")),
        compose_(variable(world.env, "HEAT_DOCKER_COMPOSE_CMD", "docker-compose")) {
    world.files.make_directories(directory_, 0700);
  }

  void stop_stale(const std::set<std::string>& wanted) {
    for (const std::string& project : world_.files.list(directory_)) {
      const fs::path file = directory_ / project / k_file;
      if (wanted.count(project) > 0 || !world_.files.status(file)) continue;
      world_.log.info(cat("Project ", project, " is no deployment's any more, stopping its containers"));
      try {
        const CommandResult result =
            world_.runner.run({.argv = {compose_, "kill"}, .env = world_.env, .cwd = directory_ / project});
        if (!succeeded(result.status)) world_.log.error(cat(compose_, " kill: ", trim(result.err)));
        world_.files.remove(file);
      } catch (const Error& error) {  // without docker-compose the file stays, and with it the task
        world_.log.error(error.what());
      }
    }
  }

  void write(const Json& deployment) {
    const Json* config = find_member(deployment, "config");
    const fs::path project = directory_ / checked_name(deployment);
    world_.files.make_directories(project, 0700);
    const bool structured = config != nullptr && config->is_structured();
    world_.files.write(project / k_file, structured ? yaml_text(*config) : value_text(config), {.mode = 0600});
  }

 private:
  static constexpr const char* k_file = "docker-compose.yml";
  const HookWorld& world_;
  fs::path directory_;
  std::string compose_;
};

}  // namespace

int clean_docker_containers(const HookWorld& world) {
  const std::optional<Json> list = deployments(world);
  if (!list) return 0;
  std::set<std::string> ids;
  for (const Json& item : *list) {
    if (text_member(item, "group") == "docker-cmd") ids.insert(text_member(item, "id"));
  }
  DockerCleaner cleaner(world);
  cleaner.remove_orphans(ids);
  cleaner.rename();
  return 0;
}

int prepare_compose_projects(const HookWorld& world) {
  const std::optional<Json> list = deployments(world);
  if (!list) return 0;
  ComposeProjects projects(world);
  std::set<std::string> names;
  for (const Json& item : *list) names.insert(text_member(item, "name"));
  projects.stop_stale(names);
  int status = 0;
  for (const Json& item : *list) {
    if (text_member(item, "group") != "docker-compose") continue;
    try {
      projects.write(item);
    } catch (const Error& error) {
      world.log.error(error.what());
      status = 1;
    }
  }
  return status;
}

}  // namespace hearth::agent
