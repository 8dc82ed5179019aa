// What the machine of a server finds on its config drive at its first boot. Pure.
//
// openstack/latest/meta_data.json has the server's name and UUID, SSH keys, under "os-collect-config" where its agent
// gets its metadata and, where the engine is served by TLS, under "hearth-authority" whom it is to trust there; the
// same document is ec2/latest/meta-data.json, which os-collect-config reads. user_data is the template's, for images
// with cloud-init, which vendor_data tells of the authority, so that the whole system trusts it.
#pragma once

#include "base/json.hpp"

namespace hearth::bootstrap {

/// The contents of a config drive, as Ironic's API takes them. `server`: the engine's row with user_data and
/// os_collect_config. `node`: as the API shows it; SSH keys, user-data and meta-data of its x_seed and of its role are
/// added, the server's own user-data wins.
[[nodiscard]] Json first_boot_contents(const Json& server, const Json& node, const Json& role);

/// What the engine is told of the machine of an active node: {"address": …, "first_address", "networks"}. The address
/// is the inventory's (x_seed.ipv4_address, or address), else the one that its deploy ramdisk had.
[[nodiscard]] Json machine_of(const Json& node);

}  // namespace hearth::bootstrap
