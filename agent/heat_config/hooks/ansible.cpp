#include "agent/heat_config/deployment/deployment.hpp"
#include "agent/heat_config/deployment/signal_data.hpp"
#include "agent/heat_config/hooks/hooks.hpp"
#include "agent/value/value.hpp"
#include "base/python_json.hpp"
#include "base/text.hpp"
#include "base/variable.hpp"

namespace hearth::agent {

namespace {

Json playbook_variables(const Json& deployment, const std::string& id, const std::string& outputs) {
  Json variables = Json::object();
  variables["heat_config_id"] = id;
  for (const auto& [name, value] : named_inputs(deployment)) variables[name] = value == nullptr ? Json("") : *value;
  variables["heat_outputs_path"] = outputs;
  return variables;
}

std::vector<std::string> playbook_command(const Json& deployment, const HookFolders& folders, const std::string& id,
                                          const HookWorld& world) {
  std::string inventory = variable(world.env, "HEAT_ANSIBLE_INVENTORY", "localhost,");
  if (is_set(option(deployment, "inventory"))) {
    inventory = (folders.working / option_text(deployment, "inventory")).string();
  }
  std::vector<std::string> argv = {variable(world.env, "HEAT_ANSIBLE_CMD", "ansible-playbook"), "-i", inventory};
  const auto add = [&](const char* flag, const char* name) {
    if (!is_set(option(deployment, name))) return;
    argv.emplace_back(flag);
    argv.push_back(option_text(deployment, name));
  };
  add("--module-path", "modulepath");
  add("--skip-tags", "skip_tags");
  add("--tags", "tags");
  argv.push_back((folders.working / cat(id, "_playbook.yaml")).string());
  argv.emplace_back("--extra-vars");
  argv.push_back(cat("@", (folders.working / cat(id, "_variables.json")).string()));
  return argv;
}

}  // namespace

Json run_ansible_hook(const Json& deployment, const HookWorld& world) {
  const std::string id = checked_id(deployment);
  const HookFolders folders = make_folders("ansible", world);
  const std::string playbook = value_text(find_member(deployment, "config"));
  if (playbook.empty()) {
    world.log.warning("No 'config' input found, nothing to do.");
    return plain_answer("", "", 0);
  }
  const std::string outputs = (folders.outputs / id).string();
  world.files.write(folders.working / cat(id, "_variables.json"),
                    python_json(playbook_variables(deployment, id, outputs)), {.mode = 0600});
  world.files.write(folders.working / cat(id, "_playbook.yaml"), playbook, {.mode = 0600});
  Command command{.argv = playbook_command(deployment, folders, id, world), .env = world.env, .cwd = folders.working};
  if (is_set(option(deployment, "callback_plugins"))) {
    put_variable(*command.env, "ANSIBLE_CALLBACK_PLUGINS", option_text(deployment, "callback_plugins"));
  }
  const ToolRun run = run_tool(std::move(command), world);
  Json answer = Json::object();
  add_outputs(answer, deployment, outputs, world.files);
  answer.update(tool_answer(run.result));
  return answer;
}

}  // namespace hearth::agent
