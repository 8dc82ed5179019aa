// The run-time state of a device that no configuration of ours stands behind (DHCP by another program, cloud-init …),
// so that a roll-back can put it back.
#pragma once

#include <string>
#include <vector>

#include "agent/net/activation.hpp"
#include "base/sys/process.hpp"

namespace hearth::agent::net {

/// Steps that give the device the addresses and routes that these outputs show: `ip -o addr show dev N scope global`,
/// `ip route show dev N`, `ip -6 route show dev N`.
[[nodiscard]] std::vector<Step> restore_steps(const std::string& device, const std::string& addresses,
                                              const std::string& routes, const std::string& routes6);

/// Looks now, for later; empty when the device is not there.
[[nodiscard]] std::vector<Step> snapshot(const std::string& device, CommandRunner& runner);

}  // namespace hearth::agent::net
