// The processes that descend from one process, as /proc shows them, and a runner that kills them all at its deadline:
// a phase's scripts start programs in groups and sessions of their own, which killing a process group would miss.
#pragma once

#include <sys/types.h>

#include <map>
#include <vector>

#include "base/sys/process.hpp"

namespace hearth::agent {

/// Parent of each process, by process id.
using ProcessParents = std::map<pid_t, pid_t>;

/// What /proc shows now; processes that end meanwhile are left out.
[[nodiscard]] ProcessParents read_process_parents();

/// Children, grandchildren … of `ancestor`, without itself.
[[nodiscard]] std::vector<pid_t> descendants_of(pid_t ancestor, const ProcessParents& parents);

/// SIGKILL to all descendants of this process, again until no new one is seen: they may be forking meanwhile.
void kill_descendants();

/// Runs commands with inherited stdin, stdout and stderr; at the deadline every descendant of this process is killed.
/// Daemons that left the tree survive, as they should.
class TreeRunner final : public CommandRunner {
 public:
  explicit TreeRunner(const Clock& clock) : clock_(clock) {}
  [[nodiscard]] CommandResult run(const Command& command) override;

 private:
  const Clock& clock_;
};

}  // namespace hearth::agent
