#include "bootstrap/deploy/first_boot.hpp"

#include "base/text.hpp"
#include "bootstrap/node/node.hpp"

namespace hearth::bootstrap {

namespace {

Json either_of(const Json& one, const Json& other, const char* key) {
  if (one.is_object() && one.contains(key)) return one[key];
  return other.is_object() && other.contains(key) ? other[key] : Json();
}

Json seed_of(const Json& node) { return object_member(object_member(node, "extra"), "x_seed"); }

/// For cloud-init, which has the image's whole system trust it (cc_ca_certs). JSON is YAML.
std::string trusting_cloud_config(const std::string& authority) {
  return cat("#cloud-config\n", format_json({{"ca_certs", {{"trusted", Json::array({authority})}}}}), "\n");
}

Json public_keys(const Json& keys) {
  Json named = Json::object();
  for (const Json& key : keys) named[named.empty() ? "default" : cat("key", named.size())] = key;
  return named;
}

}  // namespace

Json first_boot_contents(const Json& server, const Json& node, const Json& role) {
  const Json seed = seed_of(node);
  const std::string name = text_in(server, "name");
  Json meta = {{"uuid", text_in(server, "id")}, {"name", name}, {"hostname", name}, {"availability_zone", "nova"}};
  // What ec2/latest/meta-data.json is read for.
  meta["instance-id"] = text_in(server, "id");
  meta["local-hostname"] = name;
  const Json& own = object_member(object_member(server, "properties"), "metadata");
  if (!own.empty()) meta["meta"] = own;
  const Json keys = either_of(seed, role, "ssh_keys");
  if (keys.is_array()) meta["public_keys"] = public_keys(keys);
  const Json further = either_of(seed, role, "meta_data");
  if (further.is_object()) meta.update(further);
  const Json collect = server.value("os_collect_config", Json::object());
  if (collect.is_object() && !collect.empty()) meta["os-collect-config"] = collect;
  const std::string authority = text_in(server, "authority");
  if (!authority.empty()) meta["hearth-authority"] = authority;
  Json contents = {{"meta_data", meta}};
  if (!authority.empty()) contents["vendor_data"] = {{"cloud-init", trusting_cloud_config(authority)}};
  const std::string user_data = text_in(server, "user_data");
  const Json other = either_of(seed, role, "user_data");
  if (!user_data.empty()) {
    contents["user_data"] = user_data;
  } else if (!other.is_null()) {
    contents["user_data"] = other;
  }
  const Json network = node.value("network_data", Json::object());
  if (network.is_object() && !network.empty()) contents["network_data"] = network;
  return contents;
}

Json machine_of(const Json& node) {
  const Json seed = seed_of(node);
  const Json internal = node.value("driver_internal_info", Json::object());
  const std::string seen = text_in(internal, "last_address", "0.0.0.0");
  const std::string address = text_in(seed, "ipv4_address", text_in(seed, "address", seen));
  return {{"address", address},
          {"first_address", address},
          {"accessIPv4", address},
          {"networks", {{"ctlplane", Json::array({address})}}},
          {"node", text_in(node, "uuid")}};
}

}  // namespace hearth::bootstrap
