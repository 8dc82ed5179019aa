#include <algorithm>

#include "agent/heat_config/deployment/deployment.hpp"
#include "agent/heat_config/deployment/signal_data.hpp"
#include "agent/heat_config/hooks/docker_config.hpp"
#include "agent/heat_config/hooks/hooks.hpp"
#include "agent/signal/target.hpp"
#include "agent/value/value.hpp"
#include "base/error.hpp"
#include "base/python_json.hpp"
#include "base/sys/random.hpp"
#include "base/text.hpp"
#include "base/utf8.hpp"
#include "base/variable.hpp"

namespace hearth::agent {

namespace {

using Words = std::vector<std::string>;

/// A value as Python formats it.
std::string argument_text(const Json& value) {
  return value.is_string() ? value.get<std::string>() : python_text(value);
}

/// Containers by start_order; equal ones in their own order.
std::vector<std::string> in_start_order(const Json& config) {
  const auto order = [&config](const std::string& name) {
    const Json* value = find_member(config[name], "start_order");
    return value != nullptr && value->is_number() ? value->get<double>() : 0.0;
  };
  std::vector<std::string> names;
  for (const auto& [name, container] : config.items()) names.push_back(name);
  std::stable_sort(names.begin(), names.end(),
                   [&](const std::string& a, const std::string& b) { return order(a) < order(b); });
  return names;
}

/// "--flag=VALUE" when the container has that setting.
void add_setting(Words& argv, const Json& container, const char* name) {
  if (const Json* value = find_member(container, name)) {
    const std::string text = argument_text(*value);
    argv.push_back(cat("--", name, "=", value->is_boolean() ? to_lower(text) : text));
  }
}

/// "--flag=ITEM" for each item that is not empty; a text is one item, a mapping is NAME=VALUE items.
void add_list(Words& argv, const Json& container, const char* name, std::string_view flag) {
  const Json* list = find_member(container, name);
  if (list == nullptr || !is_set(list)) return;
  if (!list->is_structured()) {
    argv.push_back(cat("--", flag, "=", argument_text(*list)));
  } else if (list->is_object()) {
    for (const auto& [key, value] : list->items()) argv.push_back(cat("--", flag, "=", key, "=", value_text(&value)));
  } else {
    for (const Json& item : *list) {
      if (is_set(&item)) argv.push_back(cat("--", flag, "=", argument_text(item)));
    }
  }
}

Words command_words(const Json& container) {
  const Json* command = find_member(container, "command");
  if (!is_set(command)) return {};
  if (!command->is_array()) return split_words(argument_text(*command));
  Words words;
  for (const Json& word : *command) words.push_back(argument_text(word));
  return words;
}

bool accepts(const Json& container, int status) {
  const Json* codes = find_member(container, "exit_codes");
  if (codes == nullptr || !codes->is_array()) return status == 0;
  return std::find(codes->begin(), codes->end(), Json(status)) != codes->end();
}

/// The containers of one deployment, started one after the other.
class DockerCmd {
 public:
  DockerCmd(const Json& deployment, const HookWorld& world)
      : deployment_(deployment),
        world_(world),
        docker_(variable(world.env, "HEAT_DOCKER_CMD", "docker")),
        id_(text_member(deployment, "id")) {}

  Json run(const Json& config) {
    Words outs;
    Words errs;
    int status = 0;
    for (const std::string& name : in_start_order(config)) {
      const Json& container = config[name];
      const ToolRun run = run_tool({.argv = command(name, container)}, world_);
      if (!run.result.out.empty()) outs.push_back(replace_invalid_utf8(run.result.out));
      if (!run.result.err.empty()) errs.push_back(replace_invalid_utf8(run.result.err));
      const int code = json_status(run.result.status);
      if (!run.started || !accepts(container, code)) status = code;
      if (!run.started) break;
    }
    return plain_answer(join(outs, "\n"), join(errs, "\n"), status);
  }

 private:
  Words command(const std::string& name, const Json& container) {
    const std::string action = text_member(container, "action");
    if (action == "exec") return exec_command(container);
    if (action.empty() || action == "run") return run_command(name, container);
    throw Error(ErrorKind::input, cat("container '", name, "': there is no action '", action, "', only run and exec"));
  }

  Words run_command(const std::string& name, const Json& container) {
    Words argv = {docker_, "run", "--name", unique_name(name)};
    const auto label = [&argv](std::string_view key, const std::string& value) {
      argv.emplace_back("--label");
      argv.push_back(cat(key, "=", value));
    };
    label("deploy_stack_id", input_or_none("deploy_stack_id"));
    label("deploy_resource_name", input_or_none("deploy_resource_name"));
    label("config_id", id_);
    label("container_name", name);
    label("managed_by", "docker-cmd");
    const Json* detach = find_member(container, "detach");
    if (detach == nullptr || is_set(detach)) argv.emplace_back("--detach=true");
    add_list(argv, container, "env_file", "env-file");
    add_list(argv, container, "environment", "env");
    for (const char* setting : {"net", "pid", "privileged", "restart", "user"}) add_setting(argv, container, setting);
    add_list(argv, container, "volumes", "volume");
    add_list(argv, container, "volumes_from", "volumes-from");
    argv.push_back(value_text(find_member(container, "image")));
    for (std::string& word : command_words(container)) argv.push_back(std::move(word));
    return argv;
  }

  Words exec_command(const Json& container) {
    Words argv = {docker_, "exec"};
    for (const char* setting : {"privileged", "user"}) add_setting(argv, container, setting);
    Words words = command_words(container);
    if (words.empty()) throw Error(ErrorKind::input, "action exec needs a command: CONTAINER PROGRAM [ARGUMENT…]");
    words.front() = running_name(words.front());
    argv.insert(argv.end(), words.begin(), words.end());
    return argv;
  }

  std::string input_or_none(const std::string& name) const {
    const std::string text = input_text(deployment_, name);
    return text.empty() ? "None" : text;
  }

  /// What docker answers; nothing when it fails or is not there.
  std::optional<std::string> ask(const Words& words) {
    Words argv = {docker_};
    argv.insert(argv.end(), words.begin(), words.end());
    try {
      CommandResult result = world_.runner.run({.argv = argv, .env = world_.env, .own_group = false});
      if (succeeded(result.status)) return std::move(result.out);
    } catch (const Error& error) {
      world_.log.debug(error.what());
    }
    return std::nullopt;
  }

  std::string unique_name(const std::string& wanted) {
    std::string name = wanted;
    while (!ask({"inspect", "--format", "exists", name}).value_or("").empty()) {
      name = cat(wanted, "-", random_hex(4));
    }
    return name;
  }

  std::string running_name(const std::string& container) {
    const Words names = split_words(ask({"ps", "-a", "--filter", cat("label=container_name=", container), "--filter",
                                         cat("label=config_id=", id_), "--format", "{{.Names}}"})
                                        .value_or(""));
    return names.empty() ? container : names.front();
  }

  const Json& deployment_;
  const HookWorld& world_;
  std::string docker_;
  std::string id_;
};

}  // namespace

Json run_docker_cmd_hook(const Json& deployment, const HookWorld& world) {
  if (input_text(deployment, "deploy_action") == "DELETE") return plain_answer("", "", 0);
  const Json config = container_config(deployment);
  if (config.is_null()) return plain_answer("", "", 0);
  for (const auto& [name, container] : config.items()) {
    if (!container.is_object())
      throw Error(ErrorKind::input, cat("the config of container '", name, "' is no mapping"));
  }
  return DockerCmd(deployment, world).run(config);
}

}  // namespace hearth::agent
