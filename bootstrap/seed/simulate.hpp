// hearth seed simulate: what a machine would find out at its first boot is found before its image is made. Every
// template of an image's elements is rendered with the metadata that are to be baked, by the agent that the image gets.
#pragma once

#include <map>
#include <string>
#include <vector>

#include "base/cli/command.hpp"
#include "base/json.hpp"
#include "base/path.hpp"
#include "base/sys/process.hpp"

namespace hearth::bootstrap {

/// What metadata of `hearth metadata compile` still wait for, as "endpoints.identity waits for Port.fixed_ips".
[[nodiscard]] std::vector<std::string> waiting_values(const Json& metadata);

/// The errors that the agent told, each with the template's file as it is in its element; none where all renders.
/// `sources` has the files by their path in `tree`. Throws Error where the agent itself failed: what it did not look at
/// may be wrong, too.
[[nodiscard]] std::vector<std::string> template_faults(const Command& agent, const CommandResult& result,
                                                       const fs::path& tree,
                                                       const std::map<std::string, fs::path>& sources);

[[nodiscard]] cli::Command simulate_command(const fs::path& executable);

}  // namespace hearth::bootstrap
