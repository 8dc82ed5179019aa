#include "agent/heat_config/hooks/hooks.hpp"
#include "agent/doctor/check.hpp"
#include "agent/heat_config/deployment/deployment.hpp"
#include "agent/heat_config/runner.hpp"
#include "agent/signal/real_world.hpp"
#include "base/python_json.hpp"
#include "base/text.hpp"
#include "base/variable.hpp"

namespace hearth::agent {

namespace {

struct Tool {
  const char* group;
  const char* variable;
  const char* program;
};
constexpr Tool k_tools[] = {{"puppet", "HEAT_PUPPET_CMD", "puppet"},
                            {"ansible", "HEAT_ANSIBLE_CMD", "ansible-playbook"},
                            {"chef", "", "chef-client"},
                            {"docker-cmd", "HEAT_DOCKER_CMD", "docker"},
                            {"docker-compose", "HEAT_DOCKER_COMPOSE_CMD", "docker-compose"}};

std::set<std::string> groups_in(const Poll& poll) {
  std::set<std::string> groups;
  for (const auto& [name, document] : poll.documents.items()) {
    const Json* deployments = find_member(document, "deployments");
    if (deployments == nullptr || !deployments->is_array()) continue;
    for (const Json& item : *deployments) {
      const std::optional<Json> deployment = resolve_component(item);
      if (deployment) groups.insert(text_member(*deployment, "group"));
    }
  }
  return groups;
}

void add_ids(const Json* list, std::set<std::string>& ids) {
  if (list == nullptr || !list->is_array()) return;
  for (const Json& item : *list) ids.insert(text_member(item, "id"));
}

bool has_foreign_hook(const std::string& name, const HeatConfigSettings& settings, const FileReader& files) {
  for (const fs::path& directory : settings.hook_directories) {
    if (files.status(directory / name)) return true;
  }
  return false;
}

void check_group(const std::string& group, const HeatConfigSettings& settings, const DoctorWorld& world,
                 CheckResult& result) {
  const std::string name = hook_name(group);
  if (is_hookless_group(group)) return;
  if (find_hook(name) == nullptr && !has_foreign_hook(name, settings, world.files)) {
    result.problems.push_back({cat("there is no hook for group ", group),
                               cat("put one into /var/lib/heat-config/hooks/", name, ", executable")});
  }
  for (const Tool& tool : k_tools) {
    if (name != tool.group) continue;
    const std::string program = variable(world.env, tool.variable, tool.program);
    const bool there = program.find('/') == std::string::npos ? find_program(program, world.env).has_value()
                                                              : world.files.status(program).has_value();
    if (!there) result.problems.push_back({cat(program, " is not installed"), "install it in the image"});
  }
}

/// Where a deployment's log is.
std::string log_of(const std::string& id, const DoctorWorld& world) {
  return cat(variable(world.env, "HEAT_CONFIG_LOG_DIR", "/var/log/heat-config"), "/", id, "*.log");
}

void check_outcome(const std::string& id, const fs::path& deployed, const DoctorWorld& world, CheckResult& result) {
  const std::optional<std::string> text = world.files.read(deployed / cat(id, ".notify.json"));
  const Result<Json> answer = parse_python_json(text.value_or("{}"), id);
  const Json* status = answer ? find_member(*answer, "deploy_status_code") : nullptr;
  if (status == nullptr || status->is_null() || python_text(*status) == "0") return;
  const std::vector<std::string> lines = split_lines(text_member(*answer, "deploy_stderr"));
  result.problems.push_back({cat("deployment ", id, " failed with status ", python_text(*status),
                                 lines.empty() ? "" : cat(": ", lines.back())),
                             cat("see ", log_of(id, world), "; Heat has been told")});
}

void check_running(const std::string& id, const SignalRecord& record, const DoctorWorld& world, CheckResult& result) {
  if (record.state != SignalRecord::State::running) return;
  if (is_alive(world.files, record.owner)) {
    result.notes.push_back(cat("deployment ", id, " is running now; see ", log_of(id, world)));
  } else {
    result.problems.push_back({cat("deployment ", id, " was cut off while it ran"),
                               "its failure is signalled with the next poll, or by 55-heat-config --resend-pending"});
  }
}

}  // namespace

std::set<std::string> current_deployments(const Poll& poll, const DoctorWorld& world) {
  std::set<std::string> ids;
  for (const auto& [name, document] : poll.documents.items()) add_ids(find_member(document, "deployments"), ids);
  const std::optional<std::string> text = world.files.read(HeatConfigSettings::from(world.env).config);
  if (const Result<Json> list = parse_python_json(text.value_or("[]"), "the list of deployments")) add_ids(&*list, ids);
  return ids;
}

CheckResult check_hooks(const Poll& poll, const DoctorWorld& world) {
  CheckResult result{"hooks", "Can all deployments run, and did those that ran succeed?", {}, {}};
  const HeatConfigSettings settings = HeatConfigSettings::from(world.env);
  for (const std::string& group : groups_in(poll)) check_group(group, settings, world, result);
  const SignalJournal journal(world.files, settings.deployed);
  const std::set<std::string> current = current_deployments(poll, world);
  for (const std::string& id : journal.ids()) {
    if (const std::optional<SignalRecord> record = journal.load(id)) check_running(id, *record, world, result);
    if (current.count(id) > 0) check_outcome(id, settings.deployed, world, result);  // what was replaced is history
  }
  return result;
}

}  // namespace hearth::agent
