#include "metadata/serve/ec2_api.hpp"

#include "base/hex.hpp"
#include "base/hmac.hpp"
#include "base/text.hpp"

namespace hearth::metadata {

namespace {

ServedResponse text_response(int status, std::string body) {
  ServedResponse response;
  response.status = status;
  response.headers = {{"Content-Type", "text/plain; charset=UTF-8"}};
  response.body = std::move(body);
  return response;
}

std::string listed(const std::string& name, const Json& value) {
  // A numbered directory that holds a named leaf is listed as "0=name" (public-keys).
  if (value.is_object() && value.contains("_name")) return cat(name, "=", value["_name"].get<std::string>());
  return value.is_object() ? cat(name, "/") : name;
}

std::string leaf_text(const Json& value) {
  return value.is_string() ? value.get<std::string>() : format_json(value, {.lossy = true});
}

/// The whole tree of a machine, so that every directory lists what is really below it.
Json whole_tree(const Machine& machine) {
  Json latest = Json::object();
  latest["meta-data"] = machine.meta_data;
  if (!machine.user_data.empty()) latest["user-data"] = machine.user_data;
  Json openstack = machine.openstack.is_object() ? machine.openstack : Json::object();
  if (!machine.user_data.empty()) openstack["user_data"] = machine.user_data;
  Json tree = Json::object();
  for (const char* version : {"1.0", "2009-04-04", "latest"}) tree[version] = latest;
  for (const char* version : {"2018-08-27", "latest"}) tree["openstack"][version] = openstack;
  return tree;
}

/// Files such as meta_data.json hold JSON, but are leaves.
bool is_file(const std::string& name) { return name.find(".json") != std::string::npos; }

}  // namespace

std::optional<std::string> tree_answer(const Json& tree, const std::string& path) {
  const Json* node = &tree;
  bool in_file = false;
  for (const std::string& part : split(path, '/')) {
    if (part.empty()) continue;
    if (in_file || !node->is_object()) return std::nullopt;
    const std::string name = part.substr(0, part.find('='));
    const auto found = name == "_name" ? node->end() : node->find(name);
    if (found == node->end()) return std::nullopt;
    node = &*found;
    in_file = is_file(name);
  }
  if (in_file || !node->is_object()) return leaf_text(*node);
  std::vector<std::string> names;
  for (const auto& [name, value] : node->items()) {
    if (name != "_name") names.push_back(is_file(name) ? name : listed(name, value));
  }
  return join(names, "\n");
}

std::optional<std::string> Ec2Api::proxied_instance(const ServedRequest& request) const {
  const std::optional<std::string> id = request.header("X-Instance-ID");
  if (!id) return std::nullopt;
  const std::string signature = request.header("X-Instance-ID-Signature").value_or("");
  const bool valid =
      !proxy_secret_.empty() && equal_in_constant_time(to_hex(hmac(HashKind::sha256, proxy_secret_, *id)), signature);
  return valid ? *id : "";
}

std::string Ec2Api::instance_of(const ServedRequest& request) const {
  const std::optional<std::string> id = proxied_instance(request);
  return id ? *id : machines_.instance_at(request.peer);
}

std::optional<Machine> Ec2Api::machine_of(const ServedRequest& request) const {
  const std::optional<std::string> id = proxied_instance(request);
  return id ? machines_.machine_named(*id) : machines_.machine_at(request.peer);
}

ServedResponse Ec2Api::answer(const ServedRequest& request) {
  if (request.method != "GET" && request.method != "HEAD") return text_response(405, "only GET\n");
  const std::optional<Machine> machine = machine_of(request);
  if (!machine) {
    log_.warning(cat("ec2: no machine for ", request.method, " ", request.target, " from ", request.peer));
    return text_response(404, "no metadata for this machine\n");
  }
  std::optional<std::string> found = tree_answer(whole_tree(*machine), request.path);
  return found ? text_response(200, std::move(*found)) : text_response(404, "not found\n");
}

}  // namespace hearth::metadata
