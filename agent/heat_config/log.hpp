// The log of heat-config's programs: "[2026-01-31 13:02:03,456] (name) [LEVEL] text" on stderr.
#pragma once

#include <string>

#include "base/clock.hpp"
#include "base/log.hpp"

namespace hearth::agent {

/// One log line with its newline; local time with milliseconds.
[[nodiscard]] std::string heat_log_line(WallTime when, std::string_view name, LogLevel level, std::string_view text);

class HeatLogger final : public Logger {
 public:
  HeatLogger(const Clock& clock, std::string name, LogLevel threshold = LogLevel::info)
      : clock_(clock), name_(std::move(name)), threshold_(threshold) {}
  void log(LogLevel level, std::string_view text) noexcept override;

 private:
  const Clock& clock_;
  std::string name_;
  LogLevel threshold_;
};

}  // namespace hearth::agent
