// Programs that talk to a machine's management for us (ipmitool, virsh) or make what it is to run on (qemu-img, ip).
#pragma once

#include <functional>
#include <string>

#include "base/sys/process.hpp"
#include "bootstrap/power/driver.hpp"

namespace hearth::bootstrap {

struct ProgramUse {
  std::string what;     ///< "BMC 192.0.2.7: chassis power status"; errors begin with it
  std::string package;  ///< Debian's, that has the program; empty = not told
  /// Why a run failed; a run that took too long is Reason::unreachable without being asked. Empty = always failed.
  std::function<PowerFault::Reason(const CommandResult& result)> reason;
  /// What a person is told of it; empty = the program's standard error.
  std::function<std::string(const CommandResult& result, PowerFault::Reason reason)> told;
};

/// Its standard output, within a minute. Throws PowerFault unless it ends well.
std::string run_program(CommandRunner& runner, const Clock& clock, Command command, const ProgramUse& use);

}  // namespace hearth::bootstrap
