#include "bootstrap/seed/given_stack_forms.hpp"

#include <algorithm>
#include <array>
#include <set>

#include "base/error.hpp"
#include "base/text.hpp"
#include "bootstrap/node/node.hpp"
#include "metadata/live/value_json.hpp"
#include "metadata/model/yaml_reader.hpp"

namespace hearth::bootstrap {

namespace {

constexpr const char* k_deployed = "OS::Heat::DeployedServer";
constexpr const char* k_interim_transport = "ZAQAR_MESSAGE";  ///< of which Heat makes nothing while it adopts
constexpr const char* k_transport = "software_config_transport";
constexpr std::array<const char*, 4> k_server_properties = {"name", "metadata", k_transport, "deployment_swift_data"};
/// What is whole once it has its id, and its text; configs, deployments and servers are told apart by what they are.
constexpr std::array<const char*, 3> k_plain_types = {"OS::Heat::RandomString", "OS::Heat::Value", "OS::Heat::None"};
/// Of these Heat forgets the members when it adopts.
constexpr std::array<const char*, 4> k_lost_groups = {"OS::Heat::ResourceChain", "OS::Heat::AutoScalingGroup",
                                                      "OS::Heat::InstanceGroup", "AWS::AutoScaling::AutoScalingGroup"};
constexpr std::array<const char*, 8> k_signal_inputs = {"deploy_signal_id",  "deploy_signal_verb", "deploy_auth_url",
                                                        "deploy_username",   "deploy_user_id",     "deploy_password",
                                                        "deploy_project_id", "deploy_region_name"};

template <class List>
bool is_among(const List& list, const std::string& word) {
  return std::find(list.begin(), list.end(), word) != list.end();
}

std::string below(const std::string& above, const std::string& name) {
  return above.empty() ? name : cat(above, ".", name);
}

/// Rows of a list of GET …/given, by their path.
std::map<std::string, Json> by_path(const Json& known, const char* list) {
  std::map<std::string, Json> found;
  for (const Json& row : list_member(known, list)) found[text_in(row, "path")] = row;
  return found;
}

std::string signal_transport(const Json& config) {
  for (const Json& input : list_member(config, "inputs")) {
    if (text_in(input, "name") == "deploy_signal_transport") return text_in(input, "value");
  }
  return "";
}

/// What a stack has, told apart.
struct Parts {
  explicit Parts(const Json& known)
      : servers(by_path(known, "servers")),
        deployments(by_path(known, "deployments")),
        configs(by_path(known, "configs")) {}
  std::map<std::string, Json> servers, deployments, configs;
};

void resource_faults(const Json& resources, const std::string& above, const Parts& parts,
                     std::vector<std::string>& faults) {
  for (const auto& [name, row] : resources.items()) {
    const std::string path = below(above, name);
    const std::string type = text_in(row, "type");
    if (text_in(row, "status") != "COMPLETE")
      faults.push_back(cat(path, " is ", text_in(row, "action"), "_", text_in(row, "status")));
    if (row.contains("resources") && !is_among(k_lost_groups, type)) {
      resource_faults(row["resources"], path, parts, faults);
      continue;
    }
    const bool is_known = parts.servers.contains(path) || parts.deployments.contains(path) ||
                          parts.configs.contains(path) || is_among(k_plain_types, type);
    if (!is_known) faults.push_back(cat(path, " is an ", type, ", which Heat does not adopt as it is"));
  }
}

}  // namespace

Json stack_json(const GivenStack& stack) {
  Json deployments = Json::array();
  for (const GivenDeployment& one : stack.deployments)
    deployments.push_back(
        {{"path", one.path}, {"server", one.server}, {"ran", one.ran}, {"config", one.config}, {"id", one.id}});
  Json agents = Json::array();
  for (const GivenAgent& one : stack.agents)
    agents.push_back({{"server", one.server},
                      {"name", one.name},
                      {"state", one.state},
                      {"config", one.config},
                      {"deployment", one.deployment},
                      {"last_poll", one.last_poll}});
  return {{"name", stack.name},       {"id", stack.id},           {"cloud_id", stack.cloud_id}, {"step", stack.step},
          {"updated", stack.updated}, {"configs", stack.configs}, {"deployments", deployments}, {"agents", agents}};
}

GivenStack stack_of_json(const Json& kept) {
  GivenStack stack{text_in(kept, "name"),
                   text_in(kept, "id"),
                   text_in(kept, "cloud_id"),
                   text_in(kept, "step"),
                   text_in(kept, "updated"),
                   {},
                   {},
                   {}};
  for (const auto& [path, id] : object_member(kept, "configs").items()) stack.configs[path] = id.get<std::string>();
  for (const Json& one : list_member(kept, "deployments"))
    stack.deployments.push_back({text_in(one, "path"), text_in(one, "server"), text_in(one, "ran"),
                                 text_in(one, "config"), text_in(one, "id")});
  for (const Json& one : list_member(kept, "agents"))
    stack.agents.push_back({text_in(one, "server"), text_in(one, "name"), text_in(one, "state"), text_in(one, "config"),
                            text_in(one, "deployment"), one.value("last_poll", std::int64_t{0})});
  return stack;
}

std::vector<std::string> stack_faults(const Json& exported, const Json& known, bool has_objects) {
  std::vector<std::string> faults;
  const std::string state = cat(text_in(exported, "action"), "_", text_in(exported, "status"));
  const bool is_whole = text_in(exported, "status") == "COMPLETE" && text_in(exported, "action") != "SUSPEND";
  if (!is_whole) faults.push_back(cat("it is ", state, ": it goes as a complete one only"));
  const Parts parts(known);
  resource_faults(object_member(exported, "resources"), "", parts, faults);
  for (const auto& [path, server] : parts.servers) {
    for (const Json& name : list_member(server, "by_hand"))
      faults.push_back(
          cat(path, " has the software deployment ", name.get<std::string>(), ", made by hand: delete it"));
    if (!has_objects && text_in(server, "transport") == "POLL_TEMP_URL")
      faults.push_back(cat(path, " polls by POLL_TEMP_URL, and the cloud's catalogue has no object-store service"));
  }
  for (const auto& [path, deployment] : parts.deployments) {
    if (member_or_null(deployment, "config").is_null())
      faults.push_back(cat(path, " has never run, so that Heat could not find what to change"));
    if (!has_objects && signal_transport(member_or_null(deployment, "config")) == "TEMP_URL_SIGNAL")
      faults.push_back(cat(path, " signals by TEMP_URL_SIGNAL, and the cloud's catalogue has no object-store service"));
  }
  for (std::string& fault : faults) fault = cat("stack ", text_in(exported, "name"), ": ", fault);
  return faults;
}

Json config_for_cloud(const Json& config) {
  Json made = Json::object();
  for (const char* key : {"name", "group", "config", "outputs", "options"}) {
    if (const Json& value = member_or_null(config, key); !value.is_null()) made[key] = value;
  }
  made["inputs"] = Json::array();
  for (const Json& input : list_member(config, "inputs")) {
    if (!is_among(k_signal_inputs, text_in(input, "name"))) made["inputs"].push_back(input);
  }
  return made;
}

namespace {

Json read_yaml(const std::string& text, const std::string& source) {
  return metadata::live::to_json(metadata::parse_yaml(text, source).value_or_throw());
}

/// Names in templates that mean a server, by the environments, too.
std::set<std::string> server_types(const Json& exported) {
  std::vector<Json> environments = {object_member(exported, "environment")};
  const Json& files = object_member(exported, "files");
  for (const Json& name : list_member(exported, "environment_files")) {
    if (const std::string text = text_in(files, name.get<std::string>()); !text.empty())
      environments.push_back(read_yaml(text, name.get<std::string>()));
  }
  std::set<std::string> types = {k_deployed, "OS::Nova::Server"};
  for (std::size_t before = 0; before != types.size();) {
    before = types.size();
    for (const Json& environment : environments) {
      for (const auto& [name, meant] : object_member(environment, "resource_registry").items()) {
        if (meant.is_string() && types.contains(meant.get<std::string>())) types.insert(name);
      }
    }
  }
  return types;
}

void change_servers(Json& value, const std::set<std::string>& types, Transport transport) {
  if (value.is_array()) {
    for (Json& each : value) change_servers(each, types, transport);
  }
  if (!value.is_object()) return;
  for (auto& [key, each] : value.items()) change_servers(each, types, transport);
  if (!types.contains(text_in(value, "type"))) return;
  value["type"] = k_deployed;
  Json properties = Json::object();
  for (const char* key : k_server_properties) {
    const Json& given = member_or_null(object_member(value, "properties"), key);
    if (!given.is_null()) properties[key] = given;
  }
  if (transport == Transport::interim) properties[k_transport] = k_interim_transport;
  value["properties"] = std::move(properties);
}

bool names_one(const std::string& text, const std::set<std::string>& types) {
  return std::any_of(types.begin(), types.end(),
                     [&](const std::string& type) { return text.find(type) != std::string::npos; });
}

}  // namespace

Json stack_for_cloud(const Json& exported, Transport transport) {
  const std::set<std::string> types = server_types(exported);
  const Json& given = member_or_null(exported, "template");
  Json definition = Json::object();
  definition["template"] = given.is_string() ? read_yaml(given.get<std::string>(), "the template") : given;
  change_servers(definition["template"], types, transport);
  definition["files"] = object_member(exported, "files");
  for (auto& [name, file] : definition["files"].items()) {
    if (!file.is_string() || !names_one(file.get<std::string>(), types)) continue;
    const Result<metadata::Value> read = metadata::parse_yaml(file.get<std::string>(), name);
    Json inner = read ? metadata::live::to_json(*read) : Json();
    if (object_member(inner, "resources").empty()) continue;  // an environment, or a script that speaks of one
    change_servers(inner["resources"], types, transport);
    file = format_json(inner);
  }
  definition["environment"] = object_member(exported, "environment");
  definition["parameters"] = object_member(definition["environment"], "parameters");
  if (const Json& files = list_member(exported, "environment_files"); !files.empty())
    definition["environment_files"] = files;
  return definition;
}

namespace {

class Adoption {
 public:
  Adoption(const Json& known, const GivenStack& stack) : parts_(known), stack_(stack) {}

  [[nodiscard]] Json rows(const Json& resources, const std::string& above) const {
    Json rows = Json::object();
    for (const auto& [name, row] : resources.items()) {
      const std::string path = below(above, name);
      Json made = {{"name", name}, {"type", row.value("type", "")}};
      if (row.contains("resources"))
        made["resources"] = this->rows(row["resources"], path);
      else
        made.update(leaf(row, name, path));
      rows[name] = std::move(made);
    }
    return rows;
  }

 private:
  [[nodiscard]] Json leaf(const Json& row, const std::string& name, const std::string& path) const {
    Json made = {{"resource_id", text_in(row, "resource_id", name)}, {"metadata", Json::object()}};
    if (const auto config = stack_.configs.find(path); config != stack_.configs.end())
      made["resource_id"] = config->second;
    for (const GivenDeployment& one : stack_.deployments) {
      if (one.path == path) made["resource_id"] = one.id;
    }
    if (text_in(row, "type") == "OS::Heat::RandomString") made["resource_data"] = object_member(row, "resource_data");
    if (parts_.servers.contains(path)) made["metadata"] = document(object_member(row, "metadata"));
    return made;
  }
  /// What the server's agent is served now, with the ids that hold there.
  [[nodiscard]] Json document(Json shown) const {
    shown.erase("os-collect-config");
    Json entries = Json::array();
    for (const Json& entry : list_member(shown, "deployments")) {
      for (const GivenDeployment& one : stack_.deployments) {
        if (one.ran != text_in(entry, "id")) continue;
        Json made = config_for_cloud(entry);
        made["id"] = one.config;
        made["creation_time"] = text_in(entry, "creation_time");
        entries.push_back(std::move(made));
      }
    }
    shown["deployments"] = std::move(entries);
    return shown;
  }

  Parts parts_;
  const GivenStack& stack_;
};

}  // namespace

Json adoption(const Json& exported, const Json& known, const GivenStack& stack, const std::string& tag) {
  Json body = stack_for_cloud(exported, Transport::interim);
  const Json data = {{"template", body["template"]},
                     {"environment", {{"parameters", body["parameters"]}}},
                     {"resources", Adoption(known, stack).rows(object_member(exported, "resources"), "")}};
  body.erase("template");
  body["stack_name"] = stack.name;
  body["adopt_stack_data"] = format_json(data);
  body["tags"] = tag;
  body["disable_rollback"] = true;
  return body;
}

Json ran_on(const GivenStack& stack, const std::string& server) {
  Json ran = Json::object();
  for (const GivenDeployment& one : stack.deployments) {
    if (one.server == server && !one.ran.empty()) ran[one.ran] = one.config;
  }
  return ran;
}

}  // namespace hearth::bootstrap
