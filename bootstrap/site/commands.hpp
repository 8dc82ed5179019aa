// `hearth site …`: the file that describes a site.
#pragma once

#include <vector>

#include "base/cli/command.hpp"

namespace hearth::bootstrap {

[[nodiscard]] std::vector<cli::Command> site_commands();
/// `hearth site new FILE --ask`.
[[nodiscard]] int ask_for_new_site(const std::string& file);

}  // namespace hearth::bootstrap
