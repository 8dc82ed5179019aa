// Servers as machines: which ones the templates want, which are there, and what a machine learns at 169.254.169.254.
#include "base/text.hpp"
#include "metadata/engine/engine.hpp"

namespace hearth::metadata::live {

namespace {

/// "node-0.example.org" is known as "node-0" in its own domain.
std::string short_name(const std::string& name) { return name.substr(0, name.find('.')); }

Json ec2_tree(const Resource& server, const std::string& name, const std::string& address) {
  Json tree = Json::object();
  tree["ami-id"] = "ami-00000000";
  tree["ami-launch-index"] = "0";
  tree["hostname"] = name;
  tree["instance-id"] = server.physical_id;
  tree["instance-type"] = "baremetal";
  tree["local-hostname"] = name;
  tree["local-ipv4"] = address;
  tree["placement"]["availability-zone"] = "nova";
  tree["public-hostname"] = name;
  tree["public-ipv4"] = address;
  tree["reservation-id"] = cat("r-", server.physical_id.substr(0, 8));
  tree["security-groups"] = "default";
  return tree;
}

}  // namespace

std::vector<WantedServer> Engine::servers(const std::string& stack) {
  LiveTree& live = *find(stack).live;
  std::vector<WantedServer> all;
  for (const Resource& resource : live.tree.resources()) {
    if (resource.gone || resource.role != Role::server || resource.action == Action::init) continue;
    WantedServer row;
    row.stack = live.tree.name;
    row.path = resource.path;
    row.id = resource.physical_id;
    row.name = resource.data.value("name", resource.name);
    row.type = resource.type;
    row.status = resource.status;
    row.is_machine = resource.data.value("is_machine", false);
    row.properties = parse_json(resource.fingerprint, "a server's properties").value_or_throw();
    row.machine = resource.data.contains("machine") ? resource.data["machine"] : Json();
    row.last_poll = last_poll(resource.physical_id);
    all.push_back(std::move(row));
  }
  return all;
}

static EngineError no_server(const std::string& id) {
  return {"NotFound", cat("The server (", id, ") could not be found.")};
}

void Engine::machine_came(const std::string& server_id, const Json& machine) {
  const auto found = servers_.find(server_id);
  const auto [live, resource] = found == servers_.end() ? std::pair<LiveTree*, Resource*>{} : at(found->second);
  if (resource == nullptr) throw no_server(server_id);
  StackMachine states(live->tree, blueprint(*live), *this, live->previous.get());
  states.machine_came(live->tree.find_path(resource->path), machine, "");
  finish(*live, states);
}

void Engine::machine_failed(const std::string& server_id, const std::string& reason) {
  const auto found = servers_.find(server_id);
  const auto [live, resource] = found == servers_.end() ? std::pair<LiveTree*, Resource*>{} : at(found->second);
  if (resource == nullptr) throw no_server(server_id);
  StackMachine states(live->tree, blueprint(*live), *this, live->previous.get());
  states.machine_came(live->tree.find_path(resource->path), {}, reason.empty() ? "no reason is given" : reason);
  finish(*live, states);
}

FirstBoot Engine::first_boot(const std::string& server_id) {
  const auto found = servers_.find(server_id);
  const auto [live, resource] = found == servers_.end() ? std::pair<LiveTree*, Resource*>{} : at(found->second);
  if (resource == nullptr) throw no_server(server_id);
  const Json document = metadata_of(*live, live->tree.find_path(resource->path));
  return {blueprint(*live).user_data(resource->path, document),
          resource->data.value("os-collect-config", Json::object())};
}

bool Engine::touch_server(const std::string& server_id) {
  const auto found = servers_.find(server_id);
  const auto [live, resource] = found == servers_.end() ? std::pair<LiveTree*, Resource*>{} : at(found->second);
  if (resource == nullptr) return false;
  Changes changes;
  changes.servers.insert(live->tree.find_path(resource->path));
  commit(*live, changes);
  return true;
}

std::optional<Machine> Engine::machine_at(const std::string& address) const {
  const auto found = addresses_.find(address);
  const Resource* server = found == addresses_.end() ? nullptr : at(found->second).second;
  return server == nullptr ? std::nullopt : machine_named(server->physical_id);
}

std::optional<Machine> Engine::machine_named(const std::string& instance_id) const {
  const auto found = servers_.find(instance_id);
  if (found == servers_.end()) return std::nullopt;
  const auto [live, server] = at(found->second);
  if (server == nullptr) return std::nullopt;
  const std::string name = server->data.value("name", server->name);
  const auto machine = server->data.find("machine");
  const std::string address = machine == server->data.end() ? "" : machine->value("address", "");
  const Json properties = json_or_null(server->fingerprint);
  Machine out;
  out.meta_data = ec2_tree(*server, short_name(name), address);
  if (machine != server->data.end()) out.user_data = machine->value("user_data", "");
  if (out.user_data.empty() && properties.is_object() && properties.contains("user_data") &&
      properties["user_data"].is_string()) {
    out.user_data = properties["user_data"];
  }
  Json meta = Json::object();
  meta["uuid"] = server->physical_id;
  meta["name"] = name;
  meta["hostname"] = name;
  meta["availability_zone"] = "nova";
  meta["launch_index"] = 0;
  meta["project_id"] = live->tree.project;
  if (properties.is_object() && properties.contains("metadata") && properties["metadata"].is_object()) {
    meta["meta"] = properties["metadata"];
  }
  out.openstack["meta_data.json"] = std::move(meta);
  // The agent's own configuration: what its image may not have baked in.
  out.openstack["vendor_data.json"] = {{"os-collect-config", server->data.value("os-collect-config", Json::object())}};
  if (machine != server->data.end() && machine->contains("network_data")) {
    out.openstack["network_data.json"] = (*machine)["network_data"];
  }
  return out;
}

}  // namespace hearth::metadata::live
