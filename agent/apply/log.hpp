// os-apply-config's log: "[2026/01/31 01:02:03 PM] [LEVEL] text" on stderr, and for root in a file too.
#pragma once

#include <string>

#include "base/clock.hpp"
#include "base/log.hpp"
#include "base/sys/fd.hpp"

namespace hearth::agent {

/// One log line with its newline; local time, 12-hour clock.
[[nodiscard]] std::string apply_log_line(WallTime when, LogLevel level, std::string_view text);

class ApplyLogger final : public Logger {
 public:
  /// `file` is appended to, and made by the first line; empty = stderr only. A file that can't be opened is no error.
  ApplyLogger(const Clock& clock, std::string file, LogLevel threshold = LogLevel::info);
  void log(LogLevel level, std::string_view text) noexcept override;

 private:
  void open();

  const Clock& clock_;
  std::string unopened_;  ///< empty once it has been tried
  Fd file_;
  LogLevel threshold_;
};

}  // namespace hearth::agent
