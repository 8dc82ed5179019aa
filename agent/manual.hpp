// The manual pages of hearth-agent and its applets, made from the table of applets.
#pragma once

#include <string>
#include <vector>

#include "base/cli/manual.hpp"

namespace hearth::agent {

/// hearth-agent(1), and a page of each applet under the program's name (hearth-agent-os-net-config): the originals' own
/// pages have the plain names.
enum class ManualForm { man, markdown };
[[nodiscard]] std::vector<cli::ManualPage> agent_manual(ManualForm form = ManualForm::man);

/// `hearth-agent help --man DIR`, or --markdown DIR: writes them there; returns the exit status.
[[nodiscard]] int write_agent_manual(const std::string& directory, ManualForm form);

}  // namespace hearth::agent
