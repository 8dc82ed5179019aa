// From what a hook did to what Heat is told. Pure.
//
// Heat's rule: deploy_status_code other than 0 is a failure; an empty object is a success. So whatever goes wrong must
// say so: a hook that could not start, was stopped, or said nothing is a failure with a reason.
#pragma once

#include <optional>
#include <string>

#include "base/json.hpp"
#include "base/sys/process.hpp"

namespace hearth::agent {

/// What became of a hook.
struct HookOutcome {
  std::string hook;                  ///< its name
  std::optional<std::string> error;  ///< set when it could not be run at all
  CommandResult result;
};

/// The exit code, minus the signal's number, or 124 for a deadline: the form of a JSON answer.
[[nodiscard]] int json_status(const ExitStatus& status);

/// {"deploy_stdout", "deploy_stderr", "deploy_status_code"}.
[[nodiscard]] Json plain_answer(const std::string& out, const std::string& err, int status);

/// `config_is_empty`: a hook that has nothing to do may say nothing.
[[nodiscard]] Json signal_data(const HookOutcome& outcome, bool config_is_empty);

/// The end of a text, of at most `size` bytes; no character is cut.
[[nodiscard]] std::string last_part(std::string_view text, std::size_t size);

}  // namespace hearth::agent
