// os-collect-config's log: lines "YYYY-MM-DD HH:MM:SS.mmm PID LEVEL os-collect-config [-] TEXT" in local time, to
// stderr, a file, syslog or the systemd journal, as the oslo.log options say.
#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "agent/collect/settings.hpp"
#include "base/clock.hpp"
#include "base/log.hpp"
#include "base/sys/fd.hpp"

namespace hearth::agent {

struct LogOptions {
  std::optional<LogLevel> threshold = LogLevel::info;  ///< nothing = no lines at all
  std::string file;                                    ///< empty = none
  bool watch_file = false;
  bool to_stderr = true;
  bool to_syslog = false;
  bool to_journal = false;
  bool as_json = false;
  std::string date_format = "%Y-%m-%d %H:%M:%S";
  int syslog_facility = 0;
  std::string format;         ///< in Python's %-style, "%(asctime)s %(message)s"; empty = the usual line
  bool python_dates = false;  ///< asctime is as Python's logging writes it where no date format is given
  bool operator==(const LogOptions&) const = default;
};

/// A relative log_file lies in log_dir; log_dir alone means os-collect-config.log in it. stderr is used where nothing
/// else is, or with use_stderr.
[[nodiscard]] LogOptions log_options(const Settings& settings);

/// One record as a line, without newline. Of a format's fields asctime, created, levelname, levelno, message, msecs,
/// name and process are known; others are empty.
[[nodiscard]] std::string format_record(const LogOptions& options, LogLevel level, std::string_view text, WallTime time,
                                        int pid);

class CollectLog final : public Logger {
 public:
  /// A log file that can't be opened leaves stderr.
  CollectLog(LogOptions options, const Clock& clock);
  ~CollectLog() override;
  CollectLog(const CollectLog&) = delete;
  CollectLog& operator=(const CollectLog&) = delete;
  void log(LogLevel level, std::string_view text) noexcept override;

 private:
  void write_record(LogLevel level, std::string_view text);
  void write_file(const std::string& line);

  LogOptions options_;
  const Clock& clock_;
  Fd file_;
};

}  // namespace hearth::agent
