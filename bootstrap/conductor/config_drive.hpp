// Config drives: what a machine learns of itself at its first boot, as an ISO 9660 volume labelled config-2, compressed
// and in Base64, as Ironic's API carries it.
#pragma once

#include <string>

#include "bootstrap/node/node.hpp"

namespace hearth::bootstrap {

/// From {"meta_data": {…}, "user_data": text or object, "network_data": {…}, "vendor_data": {…}}: gzip, then Base64.
[[nodiscard]] std::string config_drive(const Json& contents);

/// What belongs on the drive of a node without one of its own: its name and UUID, SSH keys and user-data of the node
/// (extra.x_seed: ssh_keys, user_data, meta_data) or else of its role (`role`, same keys). Null when there is nothing
/// but the name.
[[nodiscard]] Json drive_contents(const Node& node, const Json& role);

/// The profile of the node, by which roles are found.
[[nodiscard]] std::string role_of(const Node& node);

}  // namespace hearth::bootstrap
