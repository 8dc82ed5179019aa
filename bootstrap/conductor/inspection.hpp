// What a machine tells of itself (the inspection result of ironic-python-agent) and what becomes of it. Pure.
#pragma once

#include <string>
#include <vector>

#include "bootstrap/node/node.hpp"

namespace hearth::bootstrap {

/// The addresses of its cards, canonical; those that are none are left out.
[[nodiscard]] std::vector<std::string> inspected_macs(const Json& data);
/// The address of the card that it booted from ("01-aa-bb-…" or "aa:bb:…"); empty when it did not tell.
[[nodiscard]] std::string inspected_boot_mac(const Json& data);
/// Empty when unknown ("0.0.0.0").
[[nodiscard]] std::string inspected_bmc(const Json& data);

/// Puts processors, memory, disk size and boot mode into the properties, and the cards that were found among what is
/// known of it. Never a port: by its ports a machine is recognised, and what it says of itself is no proof.
void apply_inspection(Node& node, const Json& data);

/// The choice of a root disk by strategy ("largest", "smallest", or names in order of preference) among disks of at
/// least `minimum_gib`: the hint to keep ("wwn", else "serial") and local_gb. Null when none fits.
[[nodiscard]] Json chosen_root_device(const Json& data, const std::string& strategy, std::int64_t minimum_gib);

}  // namespace hearth::bootstrap
