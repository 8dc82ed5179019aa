// `hearth image verify` and `hearth image reproduce`.
#pragma once

#include <functional>
#include <map>
#include <string>
#include <vector>

#include "base/cli/command.hpp"
#include "base/path.hpp"
#include "base/sys/process.hpp"

namespace hearth::builder::evidence {

[[nodiscard]] cli::Command verify_command();

/// A build to be done again, from here.
struct Rebuild {
  std::vector<std::string> arguments;           ///< for the table of the first build
  std::vector<std::string> first_arguments;     ///< the first build's own: what its hooks were told
  Environment environment;                      ///< all of it
  std::map<std::string, std::string> elements;  ///< names and digests: others are not to run
  bool is_ramdisk = false;
};
/// `table` is that of `hearth image create`; `build` does the build and returns its exit code.
[[nodiscard]] cli::Command reproduce_command(std::vector<cli::Option> table, std::function<int(const Rebuild&)> build);

}  // namespace hearth::builder::evidence
