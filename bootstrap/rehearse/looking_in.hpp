// `hearth rehearse SITE --shell|--console|--connect MACHINE`: looking into a rehearsal that runs.
#pragma once

#include <string>
#include <vector>

#include "base/path.hpp"

namespace hearth::bootstrap {

/// A rehearsal that runs, seen from outside.
struct RunningRehearsal {
  fs::path folder;
  std::string way_back;  ///< "hearth rehearse SITE.yaml", for words to the person
};

/// Throws Error when no rehearsal runs there, or it has no such machine.
void need_machine(const RunningRehearsal& rehearsal, const std::string& machine);

/// What runs ssh into a machine, as root, with the rehearsal's key. `connect`: the command that --connect is. Pure.
[[nodiscard]] std::vector<std::string> shell_command(const fs::path& folder, const std::string& machine,
                                                     const std::vector<std::string>& connect,
                                                     const std::vector<std::string>& words);

/// A shell in the machine, or `words` run there. Returns its exit code. Throws Error.
int enter_shell(const RunningRehearsal& rehearsal, const std::string& machine, const std::vector<std::string>& connect,
                const std::vector<std::string>& words);
/// This terminal at its serial console. Throws Error.
void enter_console(const RunningRehearsal& rehearsal, const std::string& machine);
/// Standard input and output at a port of it: "MACHINE:PORT". Throws Error.
void connect_streams(const RunningRehearsal& rehearsal, const std::string& target);

}  // namespace hearth::bootstrap
