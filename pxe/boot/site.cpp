#include "pxe/boot/site.hpp"

#include <algorithm>

#include "base/text.hpp"

namespace hearth::pxe {

namespace {

template <class Matches>
const Node* find_node(const std::vector<Node>& nodes, Matches matches) {
  const auto found = std::find_if(nodes.begin(), nodes.end(), matches);
  return found == nodes.end() ? nullptr : &*found;
}

}  // namespace

std::string_view state_name(BootState state) {
  switch (state) {
    case BootState::deploy: return "deploy";
    case BootState::inspect: return "inspect";
    case BootState::rescue: return "rescue";
    case BootState::hold: return "hold";
    case BootState::local: break;
  }
  return "local";
}

std::optional<BootState> parse_state(std::string_view text) {
  static const std::map<std::string_view, BootState> names = {{"local", BootState::local},
                                                              {"deploy", BootState::deploy},
                                                              {"inspect", BootState::inspect},
                                                              {"rescue", BootState::rescue},
                                                              {"hold", BootState::hold},
                                                              {"active", BootState::local},
                                                              {"available", BootState::local},
                                                              {"manageable", BootState::local},
                                                              {"error", BootState::local},
                                                              {"deploying", BootState::deploy},
                                                              {"wait call-back", BootState::deploy},
                                                              {"cleaning", BootState::deploy},
                                                              {"clean wait", BootState::deploy},
                                                              {"inspecting", BootState::inspect},
                                                              {"inspect wait", BootState::inspect},
                                                              {"rescuing", BootState::rescue},
                                                              {"rescue wait", BootState::rescue},
                                                              {"servicing", BootState::deploy},
                                                              {"service wait", BootState::deploy},
                                                              {"unrescuing", BootState::local},
                                                              {"deploy hold", BootState::hold},
                                                              {"clean hold", BootState::hold},
                                                              {"service hold", BootState::hold},
                                                              {"enroll", BootState::inspect},
                                                              {"deploy failed", BootState::hold},
                                                              {"clean failed", BootState::hold},
                                                              {"inspect failed", BootState::hold},
                                                              {"rescue failed", BootState::hold}};
  const auto found = names.find(text);
  if (found == names.end()) return std::nullopt;
  return found->second;
}

const Node* Site::find(const Mac& mac) const {
  return find_node(
      nodes, [&](const Node& node) { return std::find(node.macs.begin(), node.macs.end(), mac) != node.macs.end(); });
}
const Node* Site::find_uuid(std::string_view uuid) const {
  if (uuid.empty()) return nullptr;
  return find_node(nodes, [lower = to_lower(uuid)](const Node& node) { return node.uuid == lower; });
}
const Node* Site::find_serial(std::string_view serial) const {
  if (serial.empty()) return nullptr;
  return find_node(nodes, [&](const Node& node) { return node.serial == serial; });
}
const Node* Site::find_circuit(std::string_view circuit) const {
  if (circuit.empty()) return nullptr;
  return find_node(nodes, [&](const Node& node) { return node.circuit == circuit; });
}
const Node* Site::find_address(Ipv4 address) const {
  return find_node(nodes, [&](const Node& node) { return node.address == address; });
}

const Network* Site::network_of(Ipv4 address) const {
  const auto found = std::find_if(networks.begin(), networks.end(),
                                  [&](const Network& network) { return network.subnet.contains(address); });
  return found == networks.end() ? nullptr : &*found;
}

std::set<Ipv4> Site::reserved() const {
  std::set<Ipv4> addresses;
  for (const Node& node : nodes) {
    if (node.address) addresses.insert(*node.address);
  }
  for (const Network& network : networks) {
    addresses.insert({network.server, network.subnet.network, network.subnet.broadcast()});
  }
  return addresses;
}

}  // namespace hearth::pxe
