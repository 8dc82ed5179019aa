// `hearth incident NODE`: packs what is known of a node into one file for another person.
#pragma once

#include "base/cli/command.hpp"

namespace hearth::bootstrap::why {

[[nodiscard]] cli::Command incident_command();

}  // namespace hearth::bootstrap::why
