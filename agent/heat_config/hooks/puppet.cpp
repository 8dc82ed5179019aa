#include "agent/heat_config/deployment/deployment.hpp"
#include "agent/heat_config/deployment/signal_data.hpp"
#include "agent/heat_config/hooks/hooks.hpp"
#include "agent/value/value.hpp"
#include "base/python_json.hpp"
#include "base/text.hpp"
#include "base/variable.hpp"

namespace hearth::agent {

namespace {

constexpr int k_changed = 2;  ///< of --detailed-exitcodes: success, and something was changed

/// One run of `puppet apply`.
class Puppet {
 public:
  Puppet(const Json& deployment, const HookWorld& world)
      : deployment_(deployment),
        world_(world),
        id_(checked_id(deployment)),
        folders_(make_folders("puppet", world)),
        manifest_(folders_.working / cat(id_, ".pp")),
        outputs_((folders_.outputs / id_).string()),
        env_(world.env) {}

  Json run() {
    set_facts();
    if (is_set(option(deployment_, "enable_hiera"))) write_hiera_data();
    world_.files.write(manifest_, value_text(find_member(deployment_, "config")), {.mode = 0700});
    ToolRun run = run_tool({.argv = command(), .env = env_, .cwd = folders_.working}, world_);
    if (run.result.status == ExitStatus(Exited{k_changed})) run.result.status = Exited{0};
    keep_output(run.result);
    Json answer = tool_answer(run.result);
    add_outputs(answer, deployment_, outputs_, world_.files);
    return answer;
  }

 private:
  [[nodiscard]] bool uses_facter() const {
    const Json* facter = option(deployment_, "enable_facter");
    return facter == nullptr || is_set(facter);
  }

  void set_facts() {
    const std::string host = full_host_name(world_);
    if (!host.empty()) env_["FACTER_fqdn"] = host;
    if (uses_facter()) {
      for (const auto& [name, value] : named_inputs(deployment_)) {
        put_variable(env_, cat("FACTER_", name), value_text(value));
      }
    }
    env_["FACTER_heat_outputs_path"] = outputs_;
  }

  void write_hiera_data() {
    const std::string name = checked_name(deployment_);
    const fs::path directory = variable(world_.env, "HEAT_PUPPET_HIERA_DATADIR", "/etc/puppet/hieradata");
    Json data = Json::object();
    for (const auto& [key, value] : named_inputs(deployment_)) data[key] = value == nullptr ? Json("") : *value;
    world_.files.make_directories(directory, 0700);
    world_.files.write(directory / cat("heat_config_", name, ".json"), python_json(data), {.mode = 0600});
    env_["FACTER_deploy_config_name"] = name;
  }

  [[nodiscard]] std::vector<std::string> command() const {
    std::vector<std::string> argv = {variable(world_.env, "HEAT_PUPPET_CMD", "puppet"),
                                     "apply",
                                     "--color",
                                     "false",
                                     "--detailed-exitcodes",
                                     "--logdest",
                                     "console"};
    const auto add = [&argv](std::initializer_list<std::string> words) { argv.insert(argv.end(), words); };
    if (is_set(option(deployment_, "modulepath"))) add({"--modulepath", option_text(deployment_, "modulepath")});
    if (is_set(option(deployment_, "tags"))) add({"--tags", option_text(deployment_, "tags")});
    if (is_set(option(deployment_, "enable_debug"))) add({"--debug", "--logdest", "/var/log/puppet/heat-debug.log"});
    if (is_set(option(deployment_, "enable_verbose"))) {
      add({"--verbose", "--logdest", "/var/log/puppet/heat-verbose.log"});
    }
    argv.push_back(manifest_.string());
    return argv;
  }

  /// The files that other tools look for.
  void keep_output(const CommandResult& result) {
    const fs::path directory = variable(world_.env, "HEAT_PUPPET_LOGDIR", "/var/run/heat-config/deployed");
    std::string stamp = text_member(deployment_, "creation_time");
    for (char& c : stamp) c = c == ':' || c == 'T' || c == '/' ? '-' : c;
    world_.files.make_directories(directory, 0700);
    world_.files.write(directory / cat(stamp, "-", id_, "-stdout.log"), result.out, {.mode = 0600});
    world_.files.write(directory / cat(stamp, "-", id_, "-stderr.log"), result.err, {.mode = 0600});
  }

  const Json& deployment_;
  const HookWorld& world_;
  std::string id_;
  HookFolders folders_;
  fs::path manifest_;
  std::string outputs_;
  Environment env_;
};

}  // namespace

Json run_puppet_hook(const Json& deployment, const HookWorld& world) { return Puppet(deployment, world).run(); }

}  // namespace hearth::agent
