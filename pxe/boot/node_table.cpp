#include "pxe/boot/node_table.hpp"

#include <mutex>

#include "base/text.hpp"

namespace hearth::pxe {

namespace {

constexpr std::size_t k_learned_limit = 65536;

std::string bytes_of(const Mac& mac) { return {reinterpret_cast<const char*>(mac.bytes.data()), mac.bytes.size()}; }
std::string mac_key(const Mac& mac) { return 'm' + bytes_of(mac); }
std::string address_key(Ipv4 address) { return 'a' + std::to_string(address.value); }

/// The keys under which a node is found, the first of them its own.
std::vector<std::string> keys_of(const Node& node) {
  std::vector<std::string> keys{'i' + node.id};
  for (const Mac& mac : node.macs) keys.push_back(mac_key(mac));
  if (!node.uuid.empty()) keys.push_back('u' + to_lower(node.uuid));
  if (!node.serial.empty()) keys.push_back('s' + node.serial);
  if (!node.circuit.empty()) keys.push_back('c' + node.circuit);
  if (node.address) keys.push_back(address_key(*node.address));
  return keys;
}

bool is_serial_only(const Node& node) {
  return node.macs.empty() && node.uuid.empty() && node.circuit.empty() && !node.serial.empty();
}

}  // namespace

void NodeTable::Index::add(const NodeRef& node) {
  take_out(node->id);
  ++nodes;
  if (is_serial_only(*node)) ++serial_only;
  if (!node->address) ++without_address;
  for (std::string& key : keys_of(*node)) by_key[std::move(key)] = node;
}

void NodeTable::Index::take_out(const std::string& id) {
  const NodeRef old = find('i' + id);
  if (old == nullptr) return;
  --nodes;
  if (is_serial_only(*old)) --serial_only;
  if (!old->address) --without_address;
  for (const std::string& key : keys_of(*old)) {
    const auto found = by_key.find(key);
    if (found != by_key.end() && found->second == old) by_key.erase(found);
  }
}

NodeRef NodeTable::Index::find(const std::string& key) const {
  const auto found = by_key.find(key);
  return found == by_key.end() ? nullptr : found->second;
}

NodeRef NodeTable::find(const Identity& who) const {
  const std::shared_lock lock(mutex_);
  NodeRef node;
  const auto look = [&](bool told, auto key) {
    if (node == nullptr && told) node = index_.find(key());
  };
  look(!who.id.empty(), [&] { return 'i' + who.id; });
  look(who.mac != Mac{}, [&] { return mac_key(who.mac); });
  look(!who.uuid.empty(), [&] { return 'u' + to_lower(who.uuid); });
  look(!who.serial.empty(), [&] { return 's' + who.serial; });
  look(!who.circuit.empty(), [&] { return 'c' + who.circuit; });
  look(static_cast<bool>(who.address), [&] { return address_key(who.address); });
  return node;
}

bool NodeTable::has_serial_only() const {
  const std::shared_lock lock(mutex_);
  return index_.serial_only > 0;
}

std::size_t NodeTable::without_address() const {
  const std::shared_lock lock(mutex_);
  return index_.without_address;
}

void NodeTable::put(Node node) {
  const auto shared = std::make_shared<const Node>(std::move(node));
  const std::unique_lock lock(mutex_);
  index_.add(shared);
}

void NodeTable::remove(const std::string& id) {
  const std::unique_lock lock(mutex_);
  index_.take_out(id);
}

void NodeTable::replace(std::vector<Node> nodes) {
  Index index;
  for (Node& node : nodes) index.add(std::make_shared<const Node>(std::move(node)));
  const std::unique_lock lock(mutex_);
  std::swap(index_, index);
}

std::size_t NodeTable::size() const {
  const std::shared_lock lock(mutex_);
  return index_.nodes;
}

NodeRef LearningBook::find(const Identity& identity) const {
  if (NodeRef node = book_.find(identity)) return node;
  if (identity.mac == Mac{}) return nullptr;
  std::string id;
  {
    const std::shared_lock lock(mutex_);
    const auto known = ids_.find(bytes_of(identity.mac));
    if (known == ids_.end()) return nullptr;
    id = known->second;
  }
  return book_.find({.id = id});
}

void LearningBook::learn(const Mac& mac, const Node& node) {
  const std::unique_lock lock(mutex_);
  if (ids_.size() >= k_learned_limit) ids_.clear();  // forged ones: true machines tell again at their next boot
  ids_[bytes_of(mac)] = node.id;
}

}  // namespace hearth::pxe
