// The log of the cfn-… programs: "LEVEL [YYYY-MM-DD HH:MM:SS,mmm] text", appended to a file in /var/log; what is a
// warning or worse goes to stderr, too, which is all that a caller sees of it.
#pragma once

#include <string>

#include "base/clock.hpp"
#include "base/log.hpp"
#include "base/sys/fd.hpp"

namespace hearth::agent {

class CfnLogger final : public Logger {
 public:
  /// Where the file can't be opened, everything goes to stderr. `echo` is what goes there besides.
  CfnLogger(const std::string& file, LogLevel threshold, LogLevel echo, const Clock& clock);
  void log(LogLevel level, std::string_view text) noexcept override;

 private:
  Fd file_;
  LogLevel threshold_;
  LogLevel echo_;
  const Clock& clock_;
};

}  // namespace hearth::agent
