// What an import changes of a node, value by value, for people who look before they leap. Pure.
#pragma once

#include "base/json.hpp"
#include "bootstrap/node/node.hpp"

namespace hearth::bootstrap {

/// [{"field": "driver_info.redfish_address", "old": …, "new": …}, …]; null is what was not, or is no more, there.
/// Values that are secret, or may hold secrets (user-data), are "******" on both sides.
[[nodiscard]] Json node_changes(const Node& before, const Node& after);

/// "driver_info.redfish_address: http://192.0.2.9 → http://192.0.2.10"; "driver_info.redfish_password: another one".
[[nodiscard]] std::string change_text(const Json& change);

}  // namespace hearth::bootstrap
