// Ansible's inventories, as INI, YAML, or JSON as ansible-inventory --list prints it: each host with the variables of
// its groups, as Ansible merges them. Pure.
#pragma once

#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "bootstrap/inventory/entry_reader.hpp"
#include "bootstrap/inventory/listing.hpp"

namespace hearth::bootstrap {

struct InventoryHost {
  std::string name;
  ListingEntry variables;
};

/// Hosts in the order in which they are named first.
[[nodiscard]] Result<std::vector<InventoryHost>> read_ansible_ini(std::string_view text, std::string_view source);
[[nodiscard]] Result<std::vector<InventoryHost>> ansible_hosts(const metadata::Value& top, EntryReader& reader,
                                                               std::string_view source);

/// "node[01:03].example" → three names; a name without a range is itself.
[[nodiscard]] std::vector<std::string> expand_host_range(const std::string& pattern);

}  // namespace hearth::bootstrap
