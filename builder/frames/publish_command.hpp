// `hearth image publish`.
#pragma once

#include "base/cli/command.hpp"

namespace hearth::builder::frames {

[[nodiscard]] cli::Command publish_command();

}  // namespace hearth::builder::frames
