// The file that log_config_append names: Python's logging.config.fileConfig format
// (https://docs.python.org/3/library/logging.config.html#configuration-file-format), as far as it has a meaning here.
//
// Of the loggers "os_collect_config" and the root count, of handlers those to streams, files, syslog and the journal,
// of formatters the %-style. Where several handlers differ in level or format, the first one's hold for all.
#pragma once

#include <string>

#include "agent/collect/collect_log.hpp"
#include "base/result.hpp"

namespace hearth::agent {

/// As with oslo.log such a file replaces all other logging options. Errors give the line where there is one.
[[nodiscard]] Result<LogOptions> parse_log_config(std::string_view text, const std::string& source);

}  // namespace hearth::agent
