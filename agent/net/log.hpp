// The log of os-net-config: "YYYY-MM-DD HH:MM:SS.mmm LEVEL os_net_config.main TEXT" on stderr, and the same lines in a
// file.
#pragma once

#include <optional>
#include <string>

#include "base/clock.hpp"
#include "base/log.hpp"
#include "base/sys/fd.hpp"

namespace hearth::agent::net {

[[nodiscard]] std::string net_log_line(WallTime when, LogLevel level, std::string_view text);

class NetLogger final : public Logger {
 public:
  /// An empty `file`, or one that can't be written, is done without.
  NetLogger(const Clock& clock, const std::string& file, LogLevel threshold);
  void log(LogLevel level, std::string_view text) noexcept override;

 private:
  const Clock& clock_;
  LogLevel threshold_;
  std::optional<Fd> file_;
};

}  // namespace hearth::agent::net
