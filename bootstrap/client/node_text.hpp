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
/// system was overheard to ask in vain, that a person is waited for, or when its machine was last heard of.
/// `now`: what was overheard of a machine long before is no reason any more; 0 takes it for new. `room`: cli::table's;
/// where no table has it, a few lines for each node.
[[nodiscard]] std::string node_table(const Json& nodes, bool seed_words = false, Stamp now = 0, std::size_t room = 0);
/// "web1, which is deploying (write image)": what a node is about, with the Reason of the table, and till when its
/// machine is waited for.
[[nodiscard]] std::string node_line(const std::string& called, const Json& node);
/// The same of many, those with one reason together: "a1, a2 (inspect wait, nothing was heard of …; until 04:12:30
/// UTC)".
[[nodiscard]] std::string node_lines(const Json& nodes);
/// Field and Value, in the order of the alphabet. `room`: cli::table's; where no table has it, a line for each field.
[[nodiscard]] std::string fields_table(const Json& object, std::size_t room = 0);
/// "2026-11-20 23:31:40 UTC web1 state: available -> deploying".
[[nodiscard]] std::string event_line(const Json& event);

}  // namespace hearth::bootstrap
