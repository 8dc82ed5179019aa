// The builder's rows of the command table: image create, image plan, element list and their like.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "base/cli/command.hpp"
#include "base/path.hpp"

namespace hearth::builder {

/// `executable` is this program's own path, from which its data files are found.
[[nodiscard]] std::vector<cli::Command> commands(const fs::path& executable);

/// The command of one of the field's own programs (disk-image-create, ramdisk-image-create, diskimage-builder,
/// disk-image-get-kernel) by its name; nothing for other names. They have upstream's manners: the whole log on stdout,
/// --version, cycles accepted.
[[nodiscard]] std::optional<cli::Command> command_named(const std::string& name, const fs::path& executable);

}  // namespace hearth::builder
