// What the commands of `hearth metadata` share: the options that name a stack, and building it from them.
#pragma once

#include <cstdint>
#include <functional>
#include <string>
#include <vector>

#include "base/cli/command.hpp"
#include "metadata/compile/compiler.hpp"
#include "metadata/compile/explain.hpp"
#include "metadata/roles/rendered_tree.hpp"

namespace hearth::metadata {

/// Which site's secrets a command uses, where no option says it.
struct SeedUse {
  fs::path output{};   ///< the compiled directory beside which they are; empty = none, nothing is kept
  bool makes = false;  ///< where there are none yet
};

/// -t, -e, -P, -r, --network-data, --name, --seed-file, --seed, --inventory, --environment-wins, and `more`.
[[nodiscard]] std::vector<cli::Option> stack_options(std::vector<cli::Option> more);
/// -r and --network-data.
[[nodiscard]] std::vector<cli::Option> role_options();
/// The TripleO tree at `root` with the roles and networks that the options name. Throws Fault.
[[nodiscard]] std::unique_ptr<RenderedFiles> rendered_files(const cli::Arguments& arguments, const FileReader& disk,
                                                            const fs::path& root, Sources& sources);
/// The arguments of a command that takes its template as an operand, too ("[TEMPLATE]"), with -t in any case. Throws
/// Error where more is given than that.
[[nodiscard]] cli::Arguments with_template(cli::Arguments arguments);
/// What is wrong with the files that the options name, a line each: one that is not there, or no template at all.
[[nodiscard]] std::vector<std::string> missing_files(const cli::Arguments& arguments);
/// --cfn-url, --object-url, --created.
[[nodiscard]] std::vector<cli::Option> endpoint_options();
/// The stack that the options name. Throws Fault.
void read_model(const cli::Arguments& arguments, StackModel& model, const SeedUse& seed = {});
/// Builds the stack that the options name and runs `use` on it; faults get file, line and column.
int with_model(const cli::Arguments& arguments, const std::function<int(StackModel&)>& use, const SeedUse& seed = {});
[[nodiscard]] std::int64_t unix_now();
[[nodiscard]] Endpoints endpoints_of(const cli::Arguments& arguments);
/// Throws Error.
[[nodiscard]] Value read_json_file(const std::string& name);

/// How the value came about that the operands name, SERVER and KEY, in the stack that the options name.
[[nodiscard]] Explanation explained(const cli::Arguments& arguments);
/// The rows that look into a stack: graph, plan, explain, bake.
[[nodiscard]] std::vector<cli::Command> inspect_commands();

}  // namespace hearth::metadata
