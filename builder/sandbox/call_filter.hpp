// System calls that no hook has a use for, and that reach what no namespace divides: the kernel itself, its keys, files
// by their handles, the keyboard of a terminal, sockets that no network namespace divides.
#pragma once

#include <functional>
#include <utility>

#include "base/sys/process.hpp"

namespace hearth::builder {

/// Has the kernel refuse those calls to this thread and to all that it starts (seccomp(2)): "not permitted", or, where
/// programs try and then do without, "no such call". Needs CAP_SYS_ADMIN in the own user namespace. Throws.
void refuse_dangerous_calls();

/// Runs programs whose syncs (fsync(2), sync(2) and their like) are done at once and do nothing: a tree that is being
/// made is thrown away when the machine fails. This process goes on syncing what it writes itself. Needs what
/// refuse_dangerous_calls() needs. `begin` is called first by the thread that starts the program.
class UnsyncedRunner final : public CommandRunner {
 public:
  explicit UnsyncedRunner(CommandRunner& runner, std::function<void()> begin = {})
      : runner_(runner), begin_(std::move(begin)) {}
  /// Callbacks of the command are called on another thread, while this one waits.
  [[nodiscard]] CommandResult run(const Command& command) override;

 private:
  CommandRunner& runner_;
  std::function<void()> begin_;
};

}  // namespace hearth::builder
