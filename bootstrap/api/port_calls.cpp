// /v1/ports: the network cards by which machines are recognised.
#include <algorithm>

#include "base/text.hpp"
#include "bootstrap/api/ironic_api.hpp"
#include "bootstrap/api/listed.hpp"
#include "bootstrap/api/patch.hpp"
#include "bootstrap/api/shelf_calls.hpp"
#include "bootstrap/gate/answer.hpp"

namespace hearth::bootstrap {

namespace {

/// The port after a patch, and whose it is then: /node_uuid gives it to another node.
std::pair<Port, std::string> moved_port(Conductor& conductor, const Node& node, const Port& port, const Json& patch) {
  Json own = Json::array();
  std::string owner = node.uuid;
  for (const Json& row : patch.is_array() ? patch : Json::array({patch})) {
    if (text_in(row, "path") != "/node_uuid") {
      own.push_back(row);
    } else {
      const Node* other = conductor.ledger().find(text_in(row, "value"));
      if (other == nullptr) throw Refusal(400, cat("Node ", text_in(row, "value"), " could not be found."));
      owner = other->uuid;
    }
  }
  return {patched(port, own), owner};
}

}  // namespace

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
  const std::string group = call.parameter("portgroup");
  const std::string in_group =
      group.empty() ? "" : text_in(ShelfCalls(conductor_, call).find(*shelf_at("portgroups"), group), "uuid");
  const auto fits = [&](const Port& port) {
    return (address.empty() || port.address == address) && (in_group.empty() || port.group == in_group);
  };
  if (address.empty() && wanted.empty()) return list_ports(call, conductor_.ledger().ports_by_age(), fits);
  const Node* node = address.empty() ? &conductor_.node(wanted) : conductor_.ledger().by_mac(address);
  const bool his = node != nullptr && (wanted.empty() || node->uuid == wanted);
  return list_ports(call, his ? port_ages(*node) : NodeIndex::PortAges(), fits);
}

ServedResponse IronicApi::list_ports(const ApiCall& call, const NodeIndex::PortAges& ports,
                                     const std::function<bool(const Port&)>& fits) const {
  const Ledger& ledger = conductor_.ledger();
  const bool in_order = is_in_list_order(call);
  const std::size_t most = in_order ? asked_limit(call, ports.size()) : ports.size();
  auto at = ports.begin();
  if (const std::string marker = in_order ? call.parameter("marker") : ""; !marker.empty()) {
    const Node* node = ledger.by_port(marker);
    if (node == nullptr) throw unknown_marker(marker);
    for (const auto& last : port_ages(*node)) {
      if (node->ports[std::get<2>(last)].uuid == marker) at = ports.upper_bound(last);
    }
  }
  std::vector<Json> rows;
  for (; at != ports.end() && rows.size() <= most; ++at) {
    const Node& node = *ledger.by_uuid(std::get<1>(*at));
    const Port& port = node.ports[std::get<2>(*at)];
    if (fits(port)) rows.push_back(shown_port(node, port, call.view));
  }
  const Listing listing = {"ports", "ports", "uuid,address"};
  return json_answer(200, in_order ? page_of(call, std::move(rows), listing) : listed(call, std::move(rows), listing));
}

/// A port group is of the same node; while its ports can't stand alone, none of them is for booting.
void IronicApi::check_group(const Node& node, const Port& port) const {
  if (port.group.empty()) return;
  const std::optional<Json> group = conductor_.ledger().document(cat("portgroups/", port.group));
  if (!group) throw Refusal(400, cat("Portgroup ", port.group, " could not be found."));
  if (text_in(*group, "node_uuid") != node.uuid)
    throw Refusal(400, "Port can not be associated with a portgroup belonging to a different node.");
  if (!group->value("standalone_ports_supported", true) && port.pxe_enabled) {
    throw Refusal(409, cat("Port Group ", port.group,
                           " doesn't support standalone ports. This port cannot be created as "
                           "a member of that port group as the port's 'pxe_enabled' field is True."));
  }
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
  check_group(conductor_.node(text_in(body, "node_uuid")), port);
  Node& node = ledger.edit(conductor_.node(text_in(body, "node_uuid")).uuid);
  node.ports.push_back(port);
  ledger.record(node, "inventory", cat("port ", port.address, " added"));
  conductor_.settle();
  ServedResponse response = json_answer(201, shown_port(node, port, call.view));
  response.headers.emplace_back("Location", cat(call.view.base, "/v1/ports/", port.uuid));
  return response;
}

ServedResponse IronicApi::one_port(const ApiCall& call, const Node& node, const Port& port) {
  if (call.is("GET")) return json_answer(200, only_fields(shown_port(node, port, call.view), call.parameter("fields")));
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
  auto [result, owner] = moved_port(conductor_, node, port, call.body());
  const Node* other = ledger.by_mac(result.address);
  if (result.address != port.address && other != nullptr) {
    throw Refusal(409, cat("A port with MAC address ", result.address, " already exists."));
  }
  // What a group was told later is no reason to refuse another change of its ports.
  const bool regrouped = result.group != port.group || result.pxe_enabled != port.pxe_enabled || owner != node.uuid;
  if (regrouped) check_group(conductor_.node(owner), result);
  result.updated = ledger.now();
  if (owner == node.uuid) {
    *at = result;
  } else {
    ledger.record(changed, "inventory", cat("port ", port.address, " is another node's now"));
    changed.ports.erase(at);
    ledger.edit(owner).ports.push_back(result);
    ledger.record(ledger.edit(owner), "inventory", cat("port ", result.address, " added"));
  }
  conductor_.settle();
  return json_answer(200, shown_port(conductor_.node(owner), result, call.view));
}

}  // namespace hearth::bootstrap
