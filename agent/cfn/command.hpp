// The programs of heat-cfntools at the edge of the world.
#pragma once

#include <string>
#include <vector>

#include "base/cli/command.hpp"

namespace hearth::agent {

/// The options of the four programs and what they do.
[[nodiscard]] cli::Command cfn_init_command();
[[nodiscard]] cli::Command cfn_signal_command();
[[nodiscard]] cli::Command cfn_get_metadata_command();
[[nodiscard]] cli::Command cfn_hup_command();

/// cfn-init: 0 applied, 1 failed, 2 wrong usage. Log: /var/log/cfn-init.log.
int cfn_init_main(const std::vector<std::string>& args);
/// cfn-signal URL: 0 delivered, 2 wrong usage, 7 no answer, 22 refused. Log: /var/log/cfn-signal.log.
int cfn_signal_main(const std::vector<std::string>& args);
/// cfn-get-metadata: prints metadata, or nothing when there is none; 0, 1 empty names, 2 wrong usage.
/// Log: /var/log/cfn-get-metadata.log and stderr.
int cfn_get_metadata_main(const std::vector<std::string>& args);
/// cfn-hup: 0, 1 no configuration or no metadata, 2 wrong usage. Log: /var/log/cfn-hup.log.
int cfn_hup_main(const std::vector<std::string>& args);

}  // namespace hearth::agent
