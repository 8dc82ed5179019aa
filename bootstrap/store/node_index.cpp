#include "bootstrap/store/node_index.hpp"

namespace hearth::bootstrap {

void NodeIndex::put(const Node& node) {
  remove(node.uuid);
  Words words{node.name, node.created, {}, {}};
  for (const Port& port : node.ports) {
    words.macs.push_back(port.address);
    words.ports.push_back(port.uuid);
  }
  if (!words.name.empty()) names_.emplace(words.name, node.uuid);
  for (const std::string& mac : words.macs) macs_.emplace(mac, node.uuid);
  for (const std::string& port : words.ports) ports_.emplace(port, node.uuid);
  by_age_.emplace(words.created, node.uuid);
  if (node.job.running()) with_job_.insert(node.uuid);
  if (is_to_be_switched(node)) to_be_switched_.insert(node.uuid);
  known_.emplace(node.uuid, std::move(words));
}

void NodeIndex::remove(const std::string& uuid) {
  const auto found = known_.find(uuid);
  if (found == known_.end()) return;
  const Words& words = found->second;
  names_.erase({words.name, uuid});
  for (const std::string& mac : words.macs) macs_.erase({mac, uuid});
  for (const std::string& port : words.ports) ports_.erase({port, uuid});
  by_age_.erase({words.created, uuid});
  with_job_.erase(uuid);
  to_be_switched_.erase(uuid);
  known_.erase(found);
}

}  // namespace hearth::bootstrap
