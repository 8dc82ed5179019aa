#include "agent/heat_config/script_hook.hpp"

#include "agent/heat_config/deployment.hpp"
#include "agent/heat_config/signal_data.hpp"
#include "base/error.hpp"
#include "base/python_json.hpp"
#include "base/text.hpp"
#include "base/utf8.hpp"

namespace hearth::agent {

namespace {

constexpr int k_cannot_start = 127;

std::string setting(const Environment& env, const std::string& name, std::string_view fallback) {
  const auto found = env.find(name);
  return found == env.end() ? std::string(fallback) : found->second;
}

std::string variable_text(const Json* value) {
  if (value == nullptr || value->is_null()) return "";
  return value->is_string() ? value->get<std::string>() : python_json(*value);
}

void log_variables(const Json& deployment, Logger& log) {
  const Json* inputs = json_member(deployment, "inputs");
  if (inputs == nullptr || !inputs->is_array()) return;
  for (const Json& input : *inputs) {
    const std::string name = text_member(input, "name");
    const bool secret = SecretMask::is_secret_name(name);
    log.info(cat(name, "=", secret ? "***" : variable_text(json_member(input, "value"))));
  }
}

std::string script_text(const Json& deployment) {
  const Json* config = json_member(deployment, "config");
  return variable_text(config);
}

/// Outputs that the script wrote.
Json collect_outputs(const Json& deployment, const std::string& prefix, const FileReader& files) {
  Json answer = Json::object();
  const Json* outputs = json_member(deployment, "outputs");
  if (outputs == nullptr || !outputs->is_array()) return answer;
  for (const Json& output : *outputs) {
    const std::string name = text_member(output, "name");
    if (name.empty() || name.find('/') != std::string::npos) continue;
    if (const std::optional<std::string> text = files.read(cat(prefix, ".", name)))
      answer[name] = replace_invalid_utf8(*text);
  }
  return answer;
}

CommandResult run_script(const fs::path& file, bool has_interpreter, Environment env, const ScriptHookWorld& world) {
  Command command{.env = std::move(env), .cwd = file.parent_path()};
  if (!has_interpreter) command.argv.emplace_back("/bin/sh");
  command.argv.push_back(file.string());
  try {
    return world.runner.run(command);
  } catch (const Error& error) {
    return {Exited{k_cannot_start}, "", cat(error.what(), "\n")};
  }
}

}  // namespace

ScriptHookSettings ScriptHookSettings::from(const Environment& env) {
  return {setting(env, "HEAT_SCRIPT_WORKING", "/var/lib/heat-config/heat-config-script"),
          setting(env, "HEAT_SCRIPT_OUTPUTS", "/var/run/heat-config/heat-config-script")};
}

Environment script_environment(const Json& deployment, Environment env) {
  const Json* inputs = json_member(deployment, "inputs");
  if (inputs == nullptr || !inputs->is_array()) return env;
  for (const Json& input : *inputs) {
    const std::string name = text_member(input, "name");
    const std::string value = variable_text(json_member(input, "value"));
    const bool possible =
        !name.empty() && name.find('=') == std::string::npos && cat(name, value).find('\0') == std::string::npos;
    if (possible) env[name] = value;
  }
  return env;
}

Json run_script_hook(const Json& deployment, const ScriptHookSettings& settings, const ScriptHookWorld& world) {
  const std::string id = text_member(deployment, "id");
  if (!is_safe_id(id)) throw Error(ErrorKind::input, cat("'", id, "' can't be the id of a deployment"));
  world.files.make_directories(settings.working, 0700);
  world.files.make_directories(settings.outputs, 0700);
  const std::string outputs_path = (settings.outputs / id).string();
  Environment env = script_environment(deployment, world.env);
  env["heat_outputs_path"] = outputs_path;
  log_variables(deployment, world.log);
  const std::string text = script_text(deployment);
  const fs::path file = settings.working / id;
  world.files.write(file, text, {.mode = 0700});
  world.log.info(cat("Running ", file.string()));
  const CommandResult result = run_script(file, text.compare(0, 2, "#!") == 0, std::move(env), world);
  world.log.info(cat(file.string(), ": ", describe(result.status)));
  Json answer = collect_outputs(deployment, outputs_path, world.files);
  answer.update(
      plain_answer(replace_invalid_utf8(result.out), replace_invalid_utf8(result.err), json_status(result.status)));
  return answer;
}

}  // namespace hearth::agent
