// What the switch told a machine's card of itself by LLDP (IEEE 802.1AB), as ironic-python-agent hands it on: a port's
// local_link_connection. Pure.
#pragma once

#include <string>

#include "bootstrap/node/node.hpp"

namespace hearth::bootstrap {

/// {"switch_id": …, "port_id": …} of TLVs [[1, "04aabbccddeeff"], [2, "0545746831"]]; empty where they tell neither.
/// The machine is not trusted: texts are printable and short, or left out.
[[nodiscard]] Json link_of_lldp(const Json& tlvs);

/// For those of the node's ports whose link nobody has given yet.
void apply_lldp(Node& node, const Json& inspection);

}  // namespace hearth::bootstrap
