#include "agent/heat_config/deployment/deployment.hpp"
#include "agent/heat_config/hooks/hooks.hpp"
#include "agent/value/value.hpp"
#include "base/text.hpp"

namespace hearth::agent {

namespace {

Environment script_environment(const Json& deployment, const HookWorld& world) {
  Environment env = world.env;
  for (const auto& [name, value] : named_inputs(deployment)) {
    const std::string text = value_text(value);
    put_variable(env, name, text);
    world.log.info(cat(name, "=", SecretMask::is_secret_name(name) ? "***" : text));
  }
  return env;
}

}  // namespace

Json run_script_hook(const Json& deployment, const HookWorld& world) {
  const std::string id = checked_id(deployment);
  const HookFolders folders = make_folders("script", world);
  const std::string outputs = (folders.outputs / id).string();
  Environment env = script_environment(deployment, world);
  env["heat_outputs_path"] = outputs;
  const std::string text = value_text(find_member(deployment, "config"));
  const fs::path file = folders.working / id;
  world.files.write(file, text, {.mode = 0700});
  Command command{.env = std::move(env), .cwd = folders.working};
  if (text.compare(0, 2, "#!") != 0) command.argv.emplace_back("/bin/sh");
  command.argv.push_back(file.string());
  const ToolRun run = run_tool(std::move(command), world);
  Json answer = Json::object();
  add_outputs(answer, deployment, outputs, world.files);
  answer.update(tool_answer(run.result));
  return answer;
}

}  // namespace hearth::agent
