// How nodes look on a terminal: the field's own tables, as its client prints them. Pure.
#pragma once

#include <string>

#include "base/json.hpp"
#include "bootstrap/node/node.hpp"

namespace hearth::bootstrap {

/// A value as the field's client prints it: None, True, {'a': 1}.
[[nodiscard]] std::string shown_value(const Json& value);

/// UUID, Name, Instance UUID, Power State, Provisioning State, Maintenance. `seed_words`: "deploy wait-callback", and
/// empty instead of None for nodes without an instance, as an old guide has it. Where there is something to say of a
/// node, a column Reason says it (not in an old guide's words): its last error, why it is out of service, what its
/// system was overheard to ask in vain, or when its machine was last heard of.
/// `now`: what was overheard of a machine long before is no reason any more; 0 takes it for new. `room`: cli::table's;
/// where no table has it, a few lines for each node.
[[nodiscard]] std::string node_table(const Json& nodes, bool seed_words = false, Stamp now = 0, std::size_t room = 0);
/// "web1, which is deploying (write image)": what a node is about, with the Reason of the table.
[[nodiscard]] std::string node_line(const std::string& called, const Json& node);
/// Field and Value, in the order of the alphabet.
[[nodiscard]] std::string fields_table(const Json& object);
/// "2026-11-20 23:31:40 web1 state: available -> deploying".
[[nodiscard]] std::string event_line(const Json& event);

}  // namespace hearth::bootstrap
