// The builder's rows of the command table: image create, image plan, element list and their like.
#pragma once

#include <vector>

#include "base/cli/command.hpp"
#include "base/path.hpp"

namespace hearth::builder {

/// `executable` is this program's own path, from which its data files are found.
[[nodiscard]] std::vector<cli::Command> commands(const fs::path& executable);

/// disk-image-create: `hearth image create` with upstream's manners (the whole log on stdout, --version, cycles
/// accepted).
[[nodiscard]] cli::Command disk_image_create(const fs::path& executable);

}  // namespace hearth::builder
