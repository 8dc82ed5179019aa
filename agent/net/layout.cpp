#include "agent/net/layout.hpp"

#include <algorithm>
#include <set>

#include "base/error.hpp"
#include "base/text.hpp"

namespace hearth::agent::net {

namespace {

constexpr std::string_view k_managed = "# os-net-config managed table";
constexpr std::string_view k_default_tables =
    "# reserved values\n#\n255\tlocal\n254\tmain\n253\tdefault\n0\tunspec\n#\n# local\n#\n#1\tinr.ruhep\n";

/// The devices of the network that must be there before this one. A vlan among the members of a bond lies on top of it,
/// and needs it instead.
std::vector<std::string> needs_of(const Device& device, const Network& network) {
  std::vector<std::string> needs;
  for (const std::string& name : device.is_ovs() ? std::vector<std::string>() : device.members) {
    const Device* member = network.find(name);
    if (member != nullptr && member->lower != device.name) needs.push_back(name);
  }
  for (const std::string& name : {device.lower, device.ovs_bridge, device.vf ? device.vf->device : ""}) {
    if (network.find(name) != nullptr) needs.push_back(name);
  }
  return needs;
}

class Sorter {
 public:
  explicit Sorter(const Network& network) : network_(network) {}

  void visit(const Device& device) {
    if (done_.count(device.name) > 0) return;
    if (!open_.insert(device.name).second) {
      throw Error(ErrorKind::input,
                  cat(device.where, ": ", device.name, " needs itself, through the devices below it"));
    }
    for (const std::string& name : needs_of(device, network_)) visit(*network_.find(name));
    done_.insert(device.name);
    sorted.push_back(device);
  }
  std::vector<Device> sorted;

 private:
  const Network& network_;
  std::set<std::string> open_;
  std::set<std::string> done_;
};

/// Whether a line of rt_tables is in the way of the network's tables, or one of ours from before.
bool is_replaced(const std::string& line, const Network& network) {
  if (line.find(k_managed) != std::string::npos) return true;
  const std::vector<std::string> words = split_words(line);
  if (words.size() < 2 || words[0][0] == '#') return false;
  return std::any_of(network.tables.begin(), network.tables.end(), [&words](const auto& table) {
    return words[0] == std::to_string(table.first) || words[1] == table.second;
  });
}

}  // namespace

std::vector<Device> in_start_order(const Network& network) {
  Sorter sorter(network);
  for (const Device& device : network.devices) sorter.visit(device);
  return std::move(sorter.sorted);
}

Unit unit_of(const Device& device, const Network& network, std::string text) {
  return {.name = device.name,
          .text = std::move(text),
          .after = needs_of(device, network),
          .device_now = device.device_now,
          .is_virtual = device.is_virtual(),
          .waits = device.dhcp || device.dhcp6 || !device.addresses.empty(),
          .onboot = device.onboot};
}

std::string table_number(const std::string& table, const Network& network) {
  for (const auto& [number, name] : network.tables) {
    if (name == table) return std::to_string(number);
  }
  return table;
}

std::string render_route_tables(const Network& network, const std::string& present) {
  std::string text;
  const std::string base = present.empty() ? std::string(k_default_tables) : present;
  for (const std::string& line : split_lines(base)) {
    if (!is_replaced(line, network)) text += line + "\n";
  }
  for (const auto& [number, name] : network.tables) text += cat(number, "\t", name, "    ", k_managed, "\n");
  return text;
}

}  // namespace hearth::agent::net
