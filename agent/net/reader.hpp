// A section of the file → Network: aliases resolved, members told their masters, everything checked that can be checked
// without touching the machine.
#pragma once

#include <map>
#include <string>

#include "agent/net/device.hpp"
#include "base/json.hpp"
#include "base/sys/file.hpp"

namespace hearth::agent::net {

struct ReadSettings {
  std::map<std::string, std::string> nics;  ///< alias → device
  bool persist_mapping = false;             ///< devices are to be renamed to their aliases
  bool only_shown = false;                  ///< nothing will be done: programs need not be there
};

/// Throws Error(input) for what cannot be configured at all, Error(unsupported) for what this program does not do
/// (DPDK …) or this machine lacks (Open vSwitch). `files` shows /sys and which programs are installed.
[[nodiscard]] Network read_network(const Json& entries, const std::string& section, const ReadSettings& settings,
                                   const FileReader& files);

}  // namespace hearth::agent::net
