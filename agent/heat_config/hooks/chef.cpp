#include <algorithm>
#include <array>

#include "agent/heat_config/deployment/deployment.hpp"
#include "agent/heat_config/deployment/signal_data.hpp"
#include "agent/heat_config/hooks/hooks.hpp"
#include "agent/signal/target.hpp"
#include "agent/value/value.hpp"
#include "base/error.hpp"
#include "base/python_json.hpp"
#include "base/text.hpp"

namespace hearth::agent {

namespace {

/// Inputs that Heat adds; they are no attributes of a node.
constexpr std::array<std::string_view, 7> k_heats_own = {
    "deploy_server_id",        "deploy_action",    "deploy_stack_id",   "deploy_resource_name",
    "deploy_signal_transport", "deploy_signal_id", "deploy_signal_verb"};

/// One run of chef-client.
class Chef {
 public:
  Chef(const Json& deployment, const HookWorld& world)
      : deployment_(deployment), world_(world), id_(checked_id(deployment)), folders_(make_folders("chef", world)) {
    const std::string path = option_text(deployment, "kitchen_path");
    kitchen_ = path.empty() ? folders_.working / "kitchen" : fs::path(path);
  }

  Json run() {
    if (is_set(option(deployment_, "kitchen"))) {
      const ToolRun cloned = clone_kitchen();
      if (!succeeded(cloned.result.status)) return tool_answer(cloned.result);
    }
    const std::string host = full_host_name(world_);
    if (host.empty()) return plain_answer("", "Could not determine hostname with hostname -f", 1);
    const fs::path node = folders_.working / "node" / cat(GuestPath(cat("/", host)).text().substr(1), ".json");
    world_.files.make_directories(node.parent_path(), 0700);
    world_.files.write(node, python_json(node_attributes(), {.indent = 4}), {.mode = 0600});
    const fs::path client = folders_.working / "client.rb";
    world_.files.write(client, client_settings(), {.mode = 0600});
    return run_client(client, node);
  }

 private:
  ToolRun clone_kitchen() {
    // A fresh clone on updates. The path is the deployment's, so that it is removed without following links.
    if (input_text(deployment_, "deploy_action") == "UPDATE") {
      (void)run_tool({.argv = {"rm", "-rf", "--one-file-system", "--", kitchen_.string()}}, world_);
    }
    return run_tool(
        {.argv = {"git", "clone", option_text(deployment_, "kitchen"), kitchen_.string()}, .cwd = folders_.working},
        world_);
  }

  [[nodiscard]] Json node_attributes() const {
    Json node = Json::object();
    for (const auto& [name, value] : named_inputs(deployment_)) {
      const bool attribute =
          name != "environment" && std::find(k_heats_own.begin(), k_heats_own.end(), name) == k_heats_own.end();
      if (attribute) node[name] = value == nullptr ? Json(nullptr) : *value;
    }
    const Json* config = find_member(deployment_, "config");
    const bool is_text = config != nullptr && config->is_string();
    if (is_text) node["run_list"] = parse_python_json(config->get<std::string>(), "the config").value_or_throw();
    if (config != nullptr && !is_text) node["run_list"] = *config;
    return node;
  }

  [[nodiscard]] std::string client_settings() const {
    const std::string kitchen = kitchen_.string();
    std::string text =
        cat("log_level :debug\nlog_location STDOUT\nlocal_mode true\nchef_zero.enabled true\n", "cookbook_path '",
            kitchen, "/cookbooks'\nrole_path '", kitchen, "/roles'\nenvironment_path '", kitchen, "/environments'\n");
    const std::string environment = input_text(deployment_, "environment");
    if (!environment.empty()) text += cat("environment '", environment, "'\n");
    return cat(text, "node_path '", (folders_.working / "node").string(), "'");
  }

  Json run_client(const fs::path& client, const fs::path& node) {
    const std::string outputs = (folders_.outputs / id_).string();
    Command command{.argv = {"chef-client", "-z", "--config", client.string(), "-j", node.string()},
                    .env = world_.env,
                    .cwd = folders_.working};
    command.env->insert_or_assign("heat_outputs_path", outputs);
    Json answer = tool_answer(run_tool(std::move(command), world_).result);
    add_outputs(answer, deployment_, outputs, world_.files);
    return answer;
  }

  const Json& deployment_;
  const HookWorld& world_;
  std::string id_;
  HookFolders folders_;
  fs::path kitchen_;
};

}  // namespace

Json run_chef_hook(const Json& deployment, const HookWorld& world) { return Chef(deployment, world).run(); }

}  // namespace hearth::agent
