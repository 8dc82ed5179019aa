// `hearth incident NODE`: packs what is known of a node into one file for another person.
#pragma once

#include <string>

#include "base/cli/command.hpp"
#include "base/json.hpp"

namespace hearth::bootstrap::why {

[[nodiscard]] cli::Command incident_command();

/// What may be passed on of a part of a console ({"from", "text"}; power/console_part.hpp). A line that began before it
/// is left out: without its beginning a secret in it is not known for one.
[[nodiscard]] std::string safe_console(const Json& part);

}  // namespace hearth::bootstrap::why
