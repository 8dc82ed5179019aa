#include <algorithm>

#include "agent/collect/settings.hpp"
#include "agent/collect/source.hpp"
#include "agent/doctor/check.hpp"
#include "base/error.hpp"
#include "base/python_json.hpp"
#include "base/text.hpp"

namespace hearth::agent {

namespace {

constexpr Duration k_poll_patience = std::chrono::minutes(2);

/// Where each remote collector's server is named.
struct ServerSetting {
  const char* collector;
  const char* option;
};
constexpr ServerSetting k_servers[] = {
    {"cfn", "metadata_url"}, {"heat", "auth_url"}, {"request", "metadata_url"}, {"zaqar", "auth_url"}};

bool holds(const std::vector<std::string>& list, const std::string& word) {
  return std::find(list.begin(), list.end(), word) != list.end();
}

}  // namespace

CollectSettings read_collect_settings(const DoctorWorld& world) {
  CollectSettings found{.cache = "/var/lib/os-collect-config", .backup = "/var/run/os-collect-config"};
  try {
    const auto home = world.env.find("HOME");
    const cli::Arguments none;
    const ConfigFiles config = find_config_files(none, home == world.env.end() ? "" : home->second, world.files);
    const Settings settings(read_config_files(config, world.files), world.env, none);
    found.command = settings.text_or("DEFAULT", "command", "");
    found.cache = settings.text_or("DEFAULT", "cachedir", "/var/lib/os-collect-config");
    found.backup = settings.text_or("DEFAULT", "backup_cachedir", "/var/run/os-collect-config");
    found.polling_interval = settings.number("DEFAULT", "polling_interval");
    const std::vector<std::string> collectors = settings.list("DEFAULT", "collectors");
    check_source_names(collectors);
    found.collectors = collectors;
    for (const ServerSetting& server : k_servers) {
      const std::optional<std::string> url = settings.text(server.collector, server.option);
      if (!url || !holds(found.collectors, server.collector)) continue;
      found.configured.emplace_back(server.collector);
      found.servers.push_back(*url);
    }
  } catch (const Error& error) {
    found.error = error.what();
  }
  return found;
}

Poll poll_once(const CollectSettings& settings, const DoctorWorld& world) {
  Poll poll;
  for (const std::string& name : settings.collectors) {
    if (name == "zaqar") continue;  // what is read from a queue is gone from it
    poll.asked.push_back(name);
    if (holds(settings.configured, name)) poll.configured.push_back(name);
  }
  poll.warnings = settings.error;
  if (poll.asked.empty()) return poll;
  Command command{.argv = {world.self, "os-collect-config", "--print"},
                  .env = world.env,
                  .deadline = Deadline::after(k_poll_patience, world.clock)};
  command.argv.insert(command.argv.end(), poll.asked.begin(), poll.asked.end());
  try {
    const CommandResult result = world.runner.run(command);
    poll.warnings = trim(result.err);
    const Result<Json> documents = parse_python_json(result.out, "os-collect-config --print");
    if (documents && documents->is_object()) poll.documents = *documents;
    if (!succeeded(result.status)) poll.warnings += cat("\nos-collect-config --print: ", describe(result.status));
  } catch (const Error& error) {
    poll.warnings = error.what();
  }
  return poll;
}

}  // namespace hearth::agent
