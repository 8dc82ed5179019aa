// Servers as machines: which ones the templates want, which are there, and what a machine learns at 169.254.169.254.
#include "base/sys/random.hpp"
#include "base/text.hpp"
#include "metadata/engine/engine.hpp"
#include "metadata/engine/records_json.hpp"
#include "metadata/engine/step_around.hpp"

namespace hearth::metadata::live {

namespace {

/// "node-0.example.org" is known as "node-0" in its own domain.
std::string short_name(const std::string& name) { return name.substr(0, name.find('.')); }

/// Nova's names of block devices: what the machine starts from, and what else the template gives it. All but "ami" are
/// whole.
Json block_devices(const Json& properties) {
  Json named = {{"ami", "vda"}, {"root", "/dev/vda"}};
  int volumes = 0;
  int scratch = 0;
  for (const char* property : {"block_device_mapping", "block_device_mapping_v2"}) {
    const Json mappings = properties.is_object() ? properties.value(property, Json()) : Json();
    for (const Json& each : mappings.is_array() ? mappings : Json::array()) {
      const auto given = [&](const char* key) {
        return each.is_object() && each.contains(key) && !each[key].is_null();
      };
      if (!given("device_name") || !each["device_name"].is_string()) continue;
      const std::string device = each["device_name"];
      const std::string bare = device.starts_with("/dev/") ? device.substr(5) : device;
      const std::string whole = cat("/dev/", bare);
      if (given("boot_index") && each["boot_index"] == 0) {
        named["ami"] = bare;
        named["root"] = whole;
      } else if (given("swap_size")) {
        named["swap"] = whole;
      } else if (given("ephemeral_size")) {
        named[cat("ephemeral", scratch++)] = whole;
      } else {
        named[cat("ebs", volumes++)] = whole;
      }
    }
  }
  return named;
}

Json numbered(const Json& public_keys) {
  Json all = Json::object();
  for (const auto& [name, text] : public_keys.items())
    all[std::to_string(all.size())] = {{"_name", name}, {"openssh-key", text}};
  return all;
}

Json ec2_tree(const ResourceRecord& server, const std::string& name, const std::string& address) {
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
  for (const ResourceRecord& resource : live.tree.resources()) {
    if (resource.gone || resource.role != Role::server || resource.action == Action::init) continue;
    WantedServer row;
    row.stack = live.tree.name;
    row.path = resource.path;
    row.id = resource.physical_id;
    row.name = resource.data.name.empty() ? resource.name : resource.data.name;
    row.type = resource.type;
    row.status = resource.status;
    row.is_machine = resource.data.is_machine;
    row.properties = kept_json(resource.fingerprint, "a server's properties");
    row.machine = resource.data.machine;
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
  const auto [live, resource] =
      found == servers_.end() ? std::pair<LiveTree*, const ResourceRecord*>{} : at(found->second);
  if (resource == nullptr) throw no_server(server_id);
  step(*live, [index = live->tree.find_path(resource->path), &machine](StackMachine& states) {
    states.machine_came(index, machine, "");
  });
}

void Engine::machine_failed(const std::string& server_id, const std::string& reason) {
  const auto found = servers_.find(server_id);
  const auto [live, resource] =
      found == servers_.end() ? std::pair<LiveTree*, const ResourceRecord*>{} : at(found->second);
  if (resource == nullptr) throw no_server(server_id);
  step(*live, [index = live->tree.find_path(resource->path), &reason](StackMachine& states) {
    states.machine_came(index, {}, reason.empty() ? "no reason is given" : reason);
  });
}

void Engine::rotate(const std::string& id, std::int64_t until) {
  LiveTree& live = *find(id).live;
  require_ours(live);
  change(live, [&](LiveTree& mine, StepAround& around) {
    Changes changes;
    for (std::size_t i = 0; i < mine.tree.resources().size(); ++i) {
      const ResourceRecord& row = mine.tree.resource(i);
      if (row.gone || row.role != Role::server || row.data.key.empty()) continue;
      ResourceRecord& resource = mine.tree.own_resource(i);
      resource.data.former = {resource.data.key, resource.data.object, until};
      resource.data.key = random_hex(16);
      if (!resource.data.object.empty()) resource.data.object = random_uuid();
      resource.data.os_collect_config =
          credentials_.collect_section(mine.tree.project, mine.tree.stack(resource.stack), resource);
      changes.servers.insert(i);
      around.breathe();
    }
    return changes;
  });
}

/// Whether a key, or an object's name, is the resource's own, or its former one and that holds still.
bool Engine::holds(const ResourceRecord& resource, const std::string& credential) const {
  const FormerKey& former = resource.data.former;
  const bool is_former = former.key == credential || former.object == credential;
  return former.key.empty() || !is_former || former.until > now();
}

FirstBoot Engine::first_boot(const std::string& server_id) {
  const auto found = servers_.find(server_id);
  const auto [live, resource] =
      found == servers_.end() ? std::pair<LiveTree*, const ResourceRecord*>{} : at(found->second);
  if (resource == nullptr) throw no_server(server_id);
  const Json document = metadata_of(*live, live->tree.find_path(resource->path));
  return {blueprint(*live).user_data(resource->path, document), resource->data.os_collect_config,
          credentials_.urls().authority};
}

bool Engine::touch_server(const std::string& server_id) {
  const auto found = servers_.find(server_id);
  const auto [live, resource] =
      found == servers_.end() ? std::pair<LiveTree*, const ResourceRecord*>{} : at(found->second);
  if (resource == nullptr) return false;
  change(*live, [server = live->tree.find_path(resource->path)](LiveTree&, StepAround&) {
    Changes changes;
    changes.servers.insert(server);
    return changes;
  });
  return true;
}

std::optional<Machine> Engine::machine_at(const std::string& address) { return machine_named(instance_at(address)); }

std::string Engine::instance_at(const std::string& address) const {
  const auto found = addresses_.find(address);
  const ResourceRecord* server = found == addresses_.end() ? nullptr : at(found->second).second;
  return server == nullptr ? "" : server->physical_id;
}

std::optional<Machine> Engine::machine_named(const std::string& instance_id) {
  const auto found = servers_.find(instance_id);
  if (found == servers_.end()) return std::nullopt;
  const auto [live, server] = at(found->second);
  if (server == nullptr) return std::nullopt;
  const std::string name = server->data.name.empty() ? server->name : server->data.name;
  const Json& machine = server->data.machine;
  const Json properties = json_or_null(server->fingerprint);
  Json keys = blueprint(*live).server(server->path).public_keys;
  if (machine.is_object()) keys.update(machine.value("public_keys", Json::object()));
  Machine out;
  out.meta_data = ec2_tree(*server, short_name(name), server->data.address());
  out.meta_data["block-device-mapping"] = block_devices(properties);
  if (!keys.empty()) out.meta_data["public-keys"] = numbered(keys);
  if (machine.is_object()) out.user_data = machine.value("user_data", "");
  if (out.user_data.empty()) out.user_data = first_boot(instance_id).user_data;
  Json meta = Json::object();
  meta["uuid"] = server->physical_id;
  meta["name"] = name;
  meta["hostname"] = name;
  meta["availability_zone"] = "nova";
  meta["launch_index"] = 0;
  meta["project_id"] = live->tree.project;
  if (!keys.empty()) meta["public_keys"] = keys;
  if (properties.is_object() && properties.contains("metadata") && properties["metadata"].is_object()) {
    meta["meta"] = properties["metadata"];
  }
  out.openstack["meta_data.json"] = std::move(meta);
  // The agent's own configuration: what its image may not have baked in.
  out.openstack["vendor_data.json"] = {{"os-collect-config", server->data.os_collect_config}};
  if (machine.contains("network_data")) out.openstack["network_data.json"] = machine["network_data"];
  return out;
}

}  // namespace hearth::metadata::live
