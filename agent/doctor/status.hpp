// hearth-agent status: what the agents of this machine are doing, without a judgement.
#pragma once

#include "agent/doctor/check.hpp"
#include "base/cli/command.hpp"

namespace hearth::agent {

/// {"daemon": {"running", "doing", "for_seconds", "next_poll_in_seconds"}, "documents": [{"name", "applied"}],
///  "deployments": [{"id", "state", "status_code", "attempts", "reason"}]}; what is not known is null.
[[nodiscard]] Json status_of(const DoctorWorld& world);
[[nodiscard]] std::string status_text(const Json& status);

[[nodiscard]] cli::Command status_command();
/// `status [--json]`: exit status 0.
int status_main(const std::vector<std::string>& args);

}  // namespace hearth::agent
