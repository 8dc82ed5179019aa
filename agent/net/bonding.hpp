// bonding_options: "mode=active-backup miimon=100 primary=em2", the names of the kernel's bonding driver
// (Documentation/networking/bonding.rst), for ip(8) and for systemd.netdev(5).
#pragma once

#include <map>
#include <string>

#include "agent/net/device.hpp"

namespace hearth::agent::net {

struct BondOptions {
  std::map<std::string, std::string> values;  ///< without primary; mode by its name
  std::string primary;

  /// " mode active-backup miimon 100", for "ip link add … type bond".
  [[nodiscard]] std::string for_ip_link() const;
  /// Lines of the section [Bond].
  [[nodiscard]] std::string for_netdev() const;
};

/// Throws Error(input) when a mode is given that the driver does not have; looks at nothing else.
void check_bond_mode(const Device& bond);

/// Throws Error(input) naming an unknown mode or option.
[[nodiscard]] BondOptions parse_bonding_options(const Device& bond);

}  // namespace hearth::agent::net
