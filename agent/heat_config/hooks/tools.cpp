#include "agent/heat_config/hooks/tools.hpp"

#include "agent/heat_config/deployment/deployment.hpp"
#include "agent/heat_config/deployment/excerpt.hpp"
#include "agent/heat_config/deployment/signal_data.hpp"
#include "agent/value/value.hpp"
#include "base/error.hpp"
#include "base/python_json.hpp"
#include "base/text.hpp"
#include "base/utf8.hpp"
#include "base/variable.hpp"

namespace hearth::agent {

namespace {

constexpr int k_cannot_start = 127;
/// More than any signal can carry.
constexpr std::size_t k_kept_output = std::size_t{1} << 20U;
/// What is logged of a tool: its first lines as they come, and its last ones.
constexpr std::size_t k_logged_first = std::size_t{4} << 20U;
constexpr std::size_t k_logged_last = std::size_t{128} << 10U;

std::string why_not_started(const std::string& program, const Error& error, const Environment& env) {
  const bool missing = program.find('/') == std::string::npos && !find_program(program, env);
  if (!missing) return cat(error.what(), "\n");
  return cat("The program ", program,
             " is not installed on this machine (not found in PATH). Install it in the image.\n");
}

std::string checked_member(const Json& deployment, const std::string& member) {
  std::string text = text_member(deployment, member);
  if (!is_safe_id(text)) throw Error(ErrorKind::input, cat("'", text, "' can't be the ", member, " of a deployment"));
  return text;
}

}  // namespace

std::string checked_id(const Json& deployment) { return checked_member(deployment, "id"); }
std::string checked_name(const Json& deployment) { return checked_member(deployment, "name"); }

std::vector<std::pair<std::string, const Json*>> named_inputs(const Json& deployment) {
  std::vector<std::pair<std::string, const Json*>> named;
  const Json* inputs = find_member(deployment, "inputs");
  if (inputs == nullptr || !inputs->is_array()) return named;
  for (const Json& input : *inputs) {
    std::string name = text_member(input, "name");
    if (!name.empty()) named.emplace_back(std::move(name), find_member(input, "value"));
  }
  return named;
}

const Json* option(const Json& deployment, const std::string& name) {
  const Json* options = find_member(deployment, "options");
  return options == nullptr ? nullptr : find_member(*options, name);
}

std::string option_text(const Json& deployment, const std::string& name) {
  return value_text(option(deployment, name));
}

HookFolders make_folders(const std::string& tool, const HookWorld& world) {
  const std::string variable = replace_all(to_upper(cat("HEAT_", tool, "_")), "-", "_");
  HookFolders folders{
      hearth::variable(world.env, cat(variable, "WORKING"), cat("/var/lib/heat-config/heat-config-", tool)),
      hearth::variable(world.env, cat(variable, "OUTPUTS"), cat("/var/run/heat-config/heat-config-", tool))};
  world.files.make_directories(folders.outputs, 0700);
  world.files.make_directories(folders.working, 0700);
  return folders;
}

ToolRun run_tool(Command command, const HookWorld& world) {
  if (!command.env) command.env = world.env;
  command.own_group = false;
  command.collect_lines = true;
  command.keep_last = k_kept_output;
  Excerpt excerpt(k_logged_first, k_logged_last, [&world](std::string_view line) { world.log.info(line); });
  command.on_line = [&excerpt](Stream /*stream*/, std::string_view line) { excerpt.line(line); };
  const std::string program = command.argv.front();
  world.log.debug(cat("Running ", shell_join(command.argv)));
  ToolRun run;
  try {
    run.result = world.runner.run(command);
    excerpt.finish();
    world.log.log(succeeded(run.result.status) ? LogLevel::info : LogLevel::error,
                  cat(program, ": ", describe(run.result.status)));
  } catch (const Error& error) {
    run.started = false;
    run.result = {Exited{k_cannot_start}, "", why_not_started(program, error, *command.env)};
    world.log.error(trim(run.result.err));
  }
  return run;
}

Json tool_answer(const CommandResult& result) {
  return plain_answer(replace_invalid_utf8(result.out), replace_invalid_utf8(result.err), json_status(result.status));
}

void add_outputs(Json& answer, const Json& deployment, const std::string& prefix, const FileReader& files) {
  const Json* outputs = find_member(deployment, "outputs");
  if (outputs == nullptr || !outputs->is_array()) return;
  for (const Json& output : *outputs) {
    const std::string name = text_member(output, "name");
    if (name.empty() || name.find('/') != std::string::npos) continue;
    if (const std::optional<std::string> text = files.read(cat(prefix, ".", name)))
      answer[name] = replace_invalid_utf8(*text);
  }
}

std::string full_host_name(const HookWorld& world) {
  try {
    const CommandResult result = world.runner.run({.argv = {"hostname", "-f"}, .env = world.env, .own_group = false});
    if (succeeded(result.status)) return std::string(trim(result.out));
  } catch (const Error&) {  // told below
  }
  world.log.warning("Failed to retrieve 'hostname -f' output");
  return "";
}

}  // namespace hearth::agent
