// What the status page is told of nodes and events, as JSON. No secrets: of driver_info nothing is shown at all. Pure.
#pragma once

#include "bootstrap/conductor/flow.hpp"
#include "bootstrap/store/store.hpp"

namespace hearth::bootstrap {

/// A line of the node list, and all that a change of the node is about. `automated_clean`: of the conductor.
[[nodiscard]] Json page_row(const Node& node, bool automated_clean);
/// The row and what is shown beside it when somebody looks at this node.
[[nodiscard]] Json page_details(const Node& node, bool automated_clean);
/// An image that is registered here, without the places of its files.
[[nodiscard]] Json page_image(const std::string& name, const Json& document);
[[nodiscard]] Json page_event(const Event& event);
/// Of a line of the boot servers: when it was answered, by which protocol, for what, and how long that took.
[[nodiscard]] Json page_boot(const Json& line);
/// The states and where their work leads, for the picture of a node's way.
[[nodiscard]] Json page_states();

}  // namespace hearth::bootstrap
