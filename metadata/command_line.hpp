// What the commands of `hearth metadata` share: the options that name a stack, and building it from them.
#pragma once

#include <functional>
#include <string>
#include <vector>

#include "base/cli/command.hpp"
#include "metadata/compile/compiler.hpp"

namespace hearth::metadata {

/// -t, -e, -P, --name, --seed, --inventory, --environment-wins, and `more`.
[[nodiscard]] std::vector<cli::Option> stack_options(std::vector<cli::Option> more);
/// --cfn-url, --object-url, --created.
[[nodiscard]] std::vector<cli::Option> endpoint_options();
/// Builds the stack that the options name and runs `use` on it; faults get file, line and column.
int with_model(const cli::Arguments& arguments, const std::function<int(StackModel&)>& use);
[[nodiscard]] Endpoints endpoints_of(const cli::Arguments& arguments);
/// Throws Error.
[[nodiscard]] Value read_json_file(const std::string& name);
void print(const std::string& text);

/// The rows that look into a stack: graph, plan, explain, bake.
[[nodiscard]] std::vector<cli::Command> inspect_commands();

}  // namespace hearth::metadata
