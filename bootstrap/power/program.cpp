#include "bootstrap/power/program.hpp"

#include "base/text.hpp"

namespace hearth::bootstrap {

std::string run_program(CommandRunner& runner, const Clock& clock, Command command, const ProgramUse& use) {
  using Reason = PowerFault::Reason;
  command.deadline = Deadline::after(std::chrono::seconds(60), clock);
  CommandResult result;
  try {
    result = runner.run(command);
  } catch (const Error& error) {
    const std::string package = use.package.empty() ? "" : cat(" (the package ", use.package, " has it)");
    throw PowerFault(Reason::failed, cat(use.what, ": ", error.what(), package));
  }
  if (succeeded(result.status)) return result.out;
  const bool timed_out = std::holds_alternative<TimedOut>(result.status);
  const Reason reason = timed_out ? Reason::unreachable : use.reason ? use.reason(result) : Reason::failed;
  std::string told = use.told ? use.told(result, reason) : std::string(trim(result.err));
  if (told.empty()) told = describe(result.status);
  throw PowerFault(reason, cat(use.what, ": ", told));
}

}  // namespace hearth::bootstrap
