// `hearth node …` and `hearth baremetal …`.
#pragma once

#include <string>
#include <vector>

#include "base/cli/command.hpp"
#include "base/json.hpp"

namespace hearth::bootstrap {

class ConductorClient;

/// All of them.
[[nodiscard]] std::vector<cli::Command> commands();

[[nodiscard]] std::vector<cli::Command> node_commands();
[[nodiscard]] std::vector<cli::Command> verb_commands();
[[nodiscard]] std::vector<cli::Command> port_commands();
[[nodiscard]] std::vector<cli::Command> baremetal_commands();
[[nodiscard]] std::vector<cli::Command> image_commands();
[[nodiscard]] std::vector<cli::Command> backup_commands();
[[nodiscard]] cli::Command todo_command();
[[nodiscard]] cli::Command schema_command();
[[nodiscard]] cli::Command seeds_command();
[[nodiscard]] cli::Command console_command();
[[nodiscard]] cli::Command serve_command();
[[nodiscard]] cli::Command deploy_command();

// What they share.
/// The URL that --database gives, checked; empty where it is not given.
[[nodiscard]] std::string database_option(const cli::Arguments& arguments);
/// For whoever was no conductor's client: where what was just written lies, and how another place is named.
void tell_where_kept(const cli::Arguments& arguments);
/// Reads an inventory and gives it to the conductor; prints warnings. Throws Error with all faults.
Json import_file(ConductorClient& conductor, const std::string& file, const std::string& format, Json options);

}  // namespace hearth::bootstrap
