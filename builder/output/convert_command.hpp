// `hearth image convert`.
#pragma once

#include "base/cli/command.hpp"

namespace hearth::builder {

[[nodiscard]] cli::Command convert_command();

}  // namespace hearth::builder
