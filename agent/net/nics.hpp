// Which network cards this machine has, and what nic1, nic2 … stand for.
#pragma once

#include <map>
#include <string>
#include <vector>

#include "base/json.hpp"
#include "base/log.hpp"
#include "base/sys/file.hpp"

namespace hearth::agent::net {

/// Real cards in os-net-config's order: em*, eth* and eno* first, each group by its numbers (eth2 before eth10).
/// Active ones have a link. Virtual functions of SR-IOV cards are not counted.
[[nodiscard]] std::vector<std::string> real_nics(const FileReader& files, bool only_active);

/// The MAC address of a device, in lower case; empty when there is no such device.
[[nodiscard]] std::string mac_of(const std::string& device, const FileReader& files);

/// alias → device. `mapping` is the object interface_mapping of a mapping file (alias → device or MAC), or null: its
/// cards need no link; those it does not name get nicN by their position among the active ones. Throws Error(input)
/// when two aliases mean one card or an alias is the name of an active card.
[[nodiscard]] std::map<std::string, std::string> map_nics(const Json& mapping, const FileReader& files, Logger& log);

/// What --interfaces prints for these names; all of them when there is none. A missing name makes `complete` false.
struct NicReport {
  Json mapping = Json::object();
  bool complete = true;
};
[[nodiscard]] NicReport report_nics(const std::map<std::string, std::string>& nics,
                                    const std::vector<std::string>& names);

}  // namespace hearth::agent::net
