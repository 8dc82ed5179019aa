// environment.d: shell files whose exported variables reach every script of a phase. They are bash, so one bash child
// sources them, in order and in one scope, and hands its resulting environment back.
#pragma once

#include <string>
#include <variant>
#include <vector>

#include "base/path.hpp"
#include "base/sys/process.hpp"

namespace hearth::agent {

/// The files of `directory` that are sourced, as "DIRECTORY/NAME", bytewise ordered; the x bit does not matter.
[[nodiscard]] std::vector<std::string> environment_files(const std::string& directory);

/// An environment file left the shell: its status is that of the whole run (0 too; nothing runs then).
struct SourcingEnded {
  int status = 0;
};

/// Sources `files` with -e, -u, pipefail and tracing on. Their stdout and stderr are this process's. Before each,
/// "PREFIX Sourcing environment file F" is written to stderr, the date included if `dated`.
/// Throws Error when bash can't be started.
[[nodiscard]] std::variant<Environment, SourcingEnded> source_environment(const std::vector<std::string>& files,
                                                                          const std::string& prefix);

}  // namespace hearth::agent
