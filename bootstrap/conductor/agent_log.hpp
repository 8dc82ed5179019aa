// What a deploy ramdisk's agent sends as its logs (log.collect_system_logs): an archive, from a machine that we don't
// trust.
#pragma once

#include <string>
#include <string_view>

namespace hearth::bootstrap {

/// The archive's files (tar in gzip, as ironic-python-agent sends it), one after the other, each under a line with its
/// name; of a long one its end. Never throws: what can't be read is told in the text.
[[nodiscard]] std::string agent_log_text(std::string_view archive);

}  // namespace hearth::bootstrap
