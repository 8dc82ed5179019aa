#include <algorithm>

#include "agent/cfn/init.hpp"
#include "agent/value/value.hpp"
#include "base/error.hpp"
#include "base/text.hpp"

namespace hearth::agent {

namespace {

/// A text is for the shell, a list is a program with its arguments.
std::vector<std::string> command_line(const Json& command) {
  if (!command.is_array()) return {"/bin/sh", "-c", value_text(&command)};
  std::vector<std::string> argv;
  for (const Json& word : command) argv.push_back(value_text(&word));
  return argv;
}

/// "~" and "~/x" are below $HOME.
std::string expanded(const std::string& path, const Environment& env) {
  const auto home = env.find("HOME");
  const bool is_home = path == "~" || path.compare(0, 2, "~/") == 0;
  return is_home && home != env.end() ? cat(home->second, path.substr(1)) : path;
}

/// `env` of a command is its whole environment.
std::optional<Environment> own_environment(const Json& properties) {
  const Json* given = find_member(properties, "env");
  if (given == nullptr || !given->is_object()) return std::nullopt;
  Environment env;
  for (const auto& [name, value] : given->items()) put_variable(env, name, value_text(&value));
  return env;
}

void apply_command(const std::string& name, const Json& properties, const CfnWorld& world) {
  Command command{.env = own_environment(properties)};
  if (find_member(properties, "cwd") != nullptr) {
    command.cwd = expanded(text_member(properties, "cwd"), world.env);
    if (!world.files.status(command.cwd)) {
      world.log.error(cat(name, " has failed. ", command.cwd.string(), " path does not exist"));
      return;
    }
  }
  if (const Json* test = find_member(properties, "test")) {
    command.argv = command_line(*test);
    if (run_logged(command, world) != 0) {
      world.log.info(cat(name, " test returns false, skipping command"));
      return;
    }
  }
  const Json* line = find_member(properties, "command");
  if (!is_set(line)) {
    world.log.error(cat(name, " has failed. 'command' property missing"));
    return;
  }
  command.argv = command_line(*line);
  const int status = run_logged(command, world);
  const Json* ignore = find_member(properties, "ignoreErrors");
  if (status == 0) {
    world.log.info(cat(name, " has been successfully executed"));
  } else if (ignore != nullptr && to_boolean(*ignore)) {
    world.log.info(cat(name, " has failed (status=", status, "). Explicit ignoring"));
  } else {
    throw Error(ErrorKind::external, cat(name, " has failed (status=", status, ")."));
  }
}

}  // namespace

void apply_commands(const Json& commands, const CfnWorld& world) {
  std::vector<std::string> names;
  for (const auto& [name, properties] : commands.items()) names.push_back(name);
  std::sort(names.begin(), names.end());
  for (const std::string& name : names) apply_command(name, commands[name], world);
}

}  // namespace hearth::agent
