// Logging for daemons and long commands: one line a record, never throws. Libraries below the rooms don't log above
// debug; a function either logs or reports an error, never both.
#pragma once

#include <string>
#include <string_view>

namespace hearth {

enum class LogLevel { debug, info, warning, error };

[[nodiscard]] std::string_view log_level_name(LogLevel level);

/// A record's text as it stands in one line, so that text from outside can forge no record and gives no order to a
/// terminal: line ends within it are written as \n and \r, other controls but the tab and bytes that are no UTF-8 as
/// \x1b, characters that reorder or hide what stands around them (Unicode's bidi controls) as \u202e.
[[nodiscard]] std::string one_line(std::string_view text);

/// The same for text of several lines. JSON of it is JSON of the same.
[[nodiscard]] std::string shown_text(std::string_view text);

/// Whether a terminal does something at this character but show it: controls, bidi controls and what is invisible.
[[nodiscard]] bool is_order(char32_t character);

/// Where log records go. Implementations must be noexcept: a log line must not end a build.
class Logger {
 public:
  virtual ~Logger() = default;
  virtual void log(LogLevel level, std::string_view text) noexcept = 0;

  void debug(std::string_view text) noexcept { log(LogLevel::debug, text); }
  void info(std::string_view text) noexcept { log(LogLevel::info, text); }
  void warning(std::string_view text) noexcept { log(LogLevel::warning, text); }
  void error(std::string_view text) noexcept { log(LogLevel::error, text); }
};

/// "LEVEL TEXT" lines on a file descriptor (not owned), from `threshold` up.
class FdLogger final : public Logger {
 public:
  explicit FdLogger(int fd, LogLevel threshold = LogLevel::info) : fd_(fd), threshold_(threshold) {}
  void log(LogLevel level, std::string_view text) noexcept override;

 private:
  int fd_;
  LogLevel threshold_;
};

}  // namespace hearth
