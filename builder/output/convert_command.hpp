// `hearth image convert`.
#pragma once

#include "base/cli/command.hpp"

namespace hearth::builder {

/// The types that a disk can be written as.
[[nodiscard]] std::vector<std::string> disk_types();

[[nodiscard]] cli::Command convert_command();

}  // namespace hearth::builder
