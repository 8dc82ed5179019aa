// /v1/ports: the network cards by which machines are recognised.
#include <algorithm>

#include "base/text.hpp"
#include "bootstrap/api/answer.hpp"
#include "bootstrap/api/ironic_api.hpp"
#include "bootstrap/api/patch.hpp"

namespace hearth::bootstrap {

ServedResponse IronicApi::ports(const ApiCall& call) {
  const bool detail = call.parts.size() == 2 && call.parts[1] == "detail";
  if (call.parts.size() >= 2 && !detail) {
    const std::string uuid = parse_uuid(call.parts[1]).value_or("");
    const Node* node = conductor_.ledger().by_port(uuid);
    if (node == nullptr) throw Refusal(404, cat("Port ", call.parts[1], " could not be found."));
    for (const Port& port : node->ports) {
      if (port.uuid == uuid) return one_port(call, *node, port);
    }
  }
  if (call.is("POST")) return create_port(call);
  const std::string address = call.parameter("address").empty() ? "" : checked_mac(call.parameter("address"));
  const std::string of_node =
      call.parameter("node_uuid").empty() ? call.parameter("node") : call.parameter("node_uuid");
  const std::string wanted = of_node.empty() ? "" : conductor_.node(of_node).uuid;
  const std::string fields = call.parameter("fields");
  Json list = Json::array();
  for (const auto& [uuid, node] : conductor_.ledger().nodes()) {
    if (!wanted.empty() && uuid != wanted) continue;
    for (const Port& port : node.ports) {
      if (!address.empty() && port.address != address) continue;
      const Json full = shown_port(node, port, call.view);
      if (detail || call.truth("detail") || !fields.empty())
        list.push_back(full);
      else
        list.push_back({{"uuid", port.uuid}, {"address", port.address}, {"links", full["links"]}});
    }
  }
  return json_answer(200, {{"ports", list}});
}

ServedResponse IronicApi::create_port(const ApiCall& call) {
  const Json body = call.body();
  Ledger& ledger = conductor_.ledger();
  Port port = new_port("", ledger.now());
  take_fields(port, body);
  if (port.address.empty()) throw Refusal(400, "Missing mandatory field: address");
  if (ledger.by_mac(port.address) != nullptr) {
    throw Refusal(409, cat("A port with MAC address ", port.address, " already exists."));
  }
  if (const auto uuid = parse_uuid(text_in(body, "uuid"))) port.uuid = *uuid;
  Node& node = ledger.edit(conductor_.node(text_in(body, "node_uuid")).uuid);
  node.ports.push_back(port);
  ledger.record(node, "inventory", cat("port ", port.address, " added"));
  conductor_.settle();
  ServedResponse response = json_answer(201, shown_port(node, port, call.view));
  response.headers.emplace_back("Location", cat(call.view.base, "/v1/ports/", port.uuid));
  return response;
}

ServedResponse IronicApi::one_port(const ApiCall& call, const Node& node, const Port& port) {
  if (call.is("GET")) return json_answer(200, shown_port(node, port, call.view));
  Ledger& ledger = conductor_.ledger();
  if (!may_change(node.state) && !node.maintenance) {
    throw Refusal(409, cat("Cannot change port ", port.uuid, ": node ", node.uuid, " is ", name(node.state), "."));
  }
  Node& changed = ledger.edit(node.uuid);
  const auto at =
      std::find_if(changed.ports.begin(), changed.ports.end(), [&](const Port& p) { return p.uuid == port.uuid; });
  if (call.is("DELETE")) {
    ledger.record(changed, "inventory", cat("port ", port.address, " deleted"));
    changed.ports.erase(at);
    conductor_.settle();
    return empty_answer(204);
  }
  Port result = patched(port, call.body());
  const Node* other = ledger.by_mac(result.address);
  if (result.address != port.address && other != nullptr) {
    throw Refusal(409, cat("A port with MAC address ", result.address, " already exists."));
  }
  result.updated = ledger.now();
  *at = result;
  conductor_.settle();
  return json_answer(200, shown_port(changed, result, call.view));
}

}  // namespace hearth::bootstrap
