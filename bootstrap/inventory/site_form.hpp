// Machines of a site file (bootstrap/site) as entries of an inventory.
#pragma once

#include "bootstrap/inventory/listing.hpp"

namespace hearth::bootstrap {

/// The keys that a machine of a site file has for its inventory; further ones say how it is rehearsed.
[[nodiscard]] const std::vector<std::string>& site_inventory_keys();

/// {"name", "mac", "firmware", "profile", "address", "bmc": {"type", "address", "user", "password", "port", "system",
/// and keys of the driver as they are}, "root_device", "x_seed"} → instackenv's keys. What `defaults`, the site's own
/// "bmc", has and the machine's has not is taken from there; `at` is where it stands.
void from_site_form(ListingEntry& entry, const ListingEntry& defaults);

}  // namespace hearth::bootstrap
