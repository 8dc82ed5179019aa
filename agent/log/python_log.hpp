// Log lines as Python's logging module writes them for os-refresh-config and heat-config:
// "[YYYY-MM-DD HH:MM:SS,mmm] (NAME) [LEVEL] TEXT", in local time. People grep for them.
#pragma once

#include <optional>
#include <string>
#include <string_view>

#include "base/clock.hpp"
#include "base/log.hpp"

namespace hearth::agent {

struct LogLine {
  LogLevel level = LogLevel::info;
  std::string_view text;
};
/// Takes a line of PythonLogger's form, of whatever program, apart; nothing when it is none.
[[nodiscard]] std::optional<LogLine> parse_log_line(std::string_view line);

/// "YYYY-MM-DD HH:MM:SS" in local time, then `separator` and milliseconds.
[[nodiscard]] std::string log_time(WallTime time, char separator);

class PythonLogger final : public Logger {
 public:
  /// Nothing is written below `threshold`; without one nothing at all. `fd` is not owned.
  PythonLogger(int fd, std::string name, std::optional<LogLevel> threshold, const Clock& clock)
      : fd_(fd), name_(std::move(name)), threshold_(threshold), clock_(clock) {}
  void log(LogLevel level, std::string_view text) noexcept override;

 private:
  int fd_;
  std::string name_;
  std::optional<LogLevel> threshold_;
  const Clock& clock_;
};

}  // namespace hearth::agent
