// Starting what hooks and package steps run. A program of the image that can't be started at all (no bash, no loader,
// another machine's) would else be told by the kernel as "No such file or directory", which names neither the file that
// is missing nor that it is the image's.
#pragma once

#include <optional>
#include <string>

#include "base/sys/file.hpp"
#include "base/sys/process.hpp"

namespace hearth::builder {

/// Runs `command` for the step `what`. Throws Error(external) with the reason when it, or the image's bash, can't
/// start; any other exit is a result.
[[nodiscard]] CommandResult run_program(CommandRunner& runner, const Command& command, const std::string& what);

/// Why `program` can't be executed, as its file, its interpreter or its loader say; nothing when they look well.
[[nodiscard]] std::optional<std::string> why_not_executable(const FileReader& tree, const std::string& program);

}  // namespace hearth::builder
