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
[[nodiscard]] std::vector<cli::Command> baremetal_commands();
[[nodiscard]] std::vector<cli::Command> image_commands();
[[nodiscard]] cli::Command serve_command();
[[nodiscard]] cli::Command deploy_command();

// What they share.
void print(const std::string& text);
void print_json(const Json& json);
[[nodiscard]] const std::string& operand(const cli::Arguments& arguments, std::size_t index, std::string_view what);
inline void require_operand(const cli::Arguments& arguments, std::string_view what) {
  static_cast<void>(operand(arguments, 0, what));
}
/// Reads an inventory and gives it to the conductor; prints warnings. Throws Error with all faults.
Json import_file(ConductorClient& conductor, const std::string& file, const std::string& format, Json options);

}  // namespace hearth::bootstrap
