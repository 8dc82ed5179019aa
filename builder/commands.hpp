// The builder's rows of the command table: image create, image plan, element list and their like.
#pragma once

#include <vector>

#include "base/cli/command.hpp"
#include "base/path.hpp"

namespace hearth::builder {

/// `executable` is this program's own path, from which its data files are found.
[[nodiscard]] std::vector<cli::Command> commands(const fs::path& executable);

/// The field's own programs, which hearth is under a link of that name: disk-image-create, ramdisk-image-create,
/// diskimage-builder, disk-image-get-kernel, element-info and dib-lint. They have upstream's manners: the whole log on
/// stdout,
/// --version, cycles accepted.
[[nodiscard]] std::vector<cli::Command> link_commands(const fs::path& executable);

}  // namespace hearth::builder
