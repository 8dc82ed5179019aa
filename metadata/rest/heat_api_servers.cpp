// Servers as machines: ours, not Heat's, for whoever provides them (`hearth deploy`).
//
//     GET …/stacks/NAME/ID/servers          {"servers": [{id, name, path, type, status, is_machine, properties,
//     machine}]} GET …/stacks/NAME/ID/servers/SERVER   one of them, with user_data and os_collect_config for its first
//     boot PUT …/stacks/NAME/ID/servers/SERVER   {"address": "192.0.2.5", …}: it is there; {"failure": TEXT}: it won't
//     be
#include <algorithm>

#include "base/text.hpp"
#include "metadata/rest/heat_api.hpp"

namespace hearth::metadata::live {

namespace {

Json shown(const WantedServer& server) {
  Json row = Json::object();
  row["id"] = server.id;
  row["name"] = server.name;
  row["path"] = server.path;
  row["type"] = server.type;
  row["status"] = std::string(word(server.status));
  row["is_machine"] = server.is_machine;
  row["properties"] = server.properties;
  row["machine"] = server.machine;
  row["last_poll"] = server.last_poll;
  return row;
}

}  // namespace

/// Further members are whatever templates ask for; those that we know have their kinds.
Json machine_of(const Json& request) {
  Json machine = request;
  for (const char* key : {"first_address", "name", "hostname"}) (void)text_in(machine, key);
  for (const char* key : {"networks", "addresses"}) require_map(machine, key);
  const std::string address = text_in(machine, "address");
  if (address.empty() && text_in(machine, "failure").empty())
    throw EngineError("HTTPBadRequest", "an \"address\" is needed, or a \"failure\"");
  if (!address.empty() && !machine.contains("first_address")) machine["first_address"] = address;
  return machine;
}

ServedResponse HeatApi::servers(const Call& call, const StackPlace& place) {
  const std::vector<WantedServer> all = engine_.servers(place.live->tree.id);
  Json body = Json::object();
  if (call.parts.size() < 5) {
    body["servers"] = Json::array();
    for (const WantedServer& server : all) body["servers"].push_back(shown(server));
    return json_response(200, body);
  }
  const std::string& id = call.parts[4];
  const auto found = std::find_if(all.begin(), all.end(), [&](const WantedServer& one) { return one.id == id; });
  if (found == all.end()) throw EngineError("NotFound", cat("The server (", id, ") could not be found."));
  if (call.request.method == "PUT") {
    const Json machine = machine_of(body_of(call.request));
    const std::string failure = text_in(machine, "failure");
    if (!failure.empty()) {
      engine_.machine_failed(id, failure);
    } else {
      engine_.machine_came(id, machine);
    }
    return json_response(200, Json());
  }
  const FirstBoot boot = engine_.first_boot(id);
  body["server"] = shown(*found);
  body["server"]["user_data"] = boot.user_data;
  body["server"]["os_collect_config"] = boot.os_collect_config;
  if (!boot.authority.empty()) body["server"]["authority"] = boot.authority;
  return json_response(200, body);
}

}  // namespace hearth::metadata::live
