#include "bootstrap/store/node_index.hpp"

#include <algorithm>

namespace hearth::bootstrap {

bool is_available(const Node& node) {
  return node.state == State::available && node.instance_uuid.empty() && !node.maintenance;
}

bool has_console_on(const Node& node) { return node.fields.value("console_enabled", false); }

NodeIndex::PortAges port_ages(const Node& node) {
  NodeIndex::PortAges ages;
  for (std::size_t port = 0; port < node.ports.size(); ++port) ages.emplace(node.ports[port].created, node.uuid, port);
  return ages;
}

namespace {

void forget(NodeIndex::Keys& keys, const std::string& word, const std::string& uuid) {
  const auto [begin, end] = keys.equal_range(word);
  const auto found = std::find_if(begin, end, [&](const auto& each) { return each.second == uuid; });
  if (found != end) keys.erase(found);
}

}  // namespace

void NodeIndex::put(const Node& node) {
  remove(node.uuid);
  Words words;
  words.name = node.name;
  words.instance = node.instance_uuid;
  words.management = management_of_(node);
  words.place = rack_place(node.extra);
  words.created = node.created;
  words.provision_updated = node.provision_updated;
  words.port_ages = port_ages(node);
  for (const Port& port : node.ports) {
    words.macs.push_back(port.address);
    words.ports.push_back(port.uuid);
  }
  ports_by_age_.insert(words.port_ages.begin(), words.port_ages.end());
  if (!words.name.empty()) names_.emplace(words.name, node.uuid);
  for (const std::string& mac : words.macs) macs_.emplace(mac, node.uuid);
  for (const std::string& port : words.ports) ports_.emplace(port, node.uuid);
  if (!words.instance.empty()) instances_.emplace(words.instance, node.uuid);
  if (!words.management.empty()) managements_.emplace(words.management, node.uuid);
  if (!words.place.empty()) places_.emplace(words.place, node.uuid);
  by_age_.emplace(words.created, node.uuid);
  if (is_available(node)) available_.emplace(words.provision_updated, node.uuid);
  if (has_console_on(node)) with_console_.insert(node.uuid);
  if (node.job.running()) with_job_.insert(node.uuid);
  if (is_to_be_switched(node)) to_be_switched_.insert(node.uuid);
  known_.emplace(node.uuid, std::move(words));
}

void NodeIndex::remove(const std::string& uuid) {
  const auto found = known_.find(uuid);
  if (found == known_.end()) return;
  const Words& words = found->second;
  forget(names_, words.name, uuid);
  for (const std::string& mac : words.macs) forget(macs_, mac, uuid);
  for (const std::string& port : words.ports) forget(ports_, port, uuid);
  for (const auto& port : words.port_ages) ports_by_age_.erase(port);
  forget(instances_, words.instance, uuid);
  managements_.erase({words.management, uuid});
  forget(places_, words.place, uuid);
  by_age_.erase({words.created, uuid});
  available_.erase({words.provision_updated, uuid});
  with_console_.erase(uuid);
  with_job_.erase(uuid);
  to_be_switched_.erase(uuid);
  known_.erase(found);
}

}  // namespace hearth::bootstrap
