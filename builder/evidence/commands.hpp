// `hearth image verify` and `hearth image reproduce`.
#pragma once

#include <functional>
#include <string>
#include <vector>

#include "base/cli/command.hpp"
#include "base/path.hpp"
#include "base/sys/process.hpp"

namespace hearth::builder::evidence {

[[nodiscard]] cli::Command verify_command();

/// A build to be done again: its arguments, for the same command table, its environment and its directory.
struct Rebuild {
  std::vector<std::string> arguments;
  Environment environment;
  fs::path directory;
};
/// `build` does it and returns its exit code.
[[nodiscard]] cli::Command reproduce_command(std::function<int(const Rebuild&)> build);

}  // namespace hearth::builder::evidence
