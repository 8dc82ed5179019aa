#include "agent/cfn/log.hpp"

#include <fcntl.h>
#include <unistd.h>

#include "agent/log/python_log.hpp"
#include "base/error.hpp"
#include "base/text.hpp"

namespace hearth::agent {

CfnLogger::CfnLogger(const std::string& file, LogLevel threshold, LogLevel echo, const Clock& clock)
    : threshold_(threshold), echo_(echo), clock_(clock) {
  try {
    file_ = Fd::open(file, O_WRONLY | O_APPEND | O_CREAT, 0600);
  } catch (const Error&) {
    echo_ = threshold;
  }
}

void CfnLogger::log(LogLevel level, std::string_view text) noexcept {
  if (level < threshold_) return;
  try {
    const std::string line = cat(log_level_name(level), " [", log_time(clock_.wall(), ','), "] ", one_line(text), "\n");
    if (file_) [[maybe_unused]]
      const ssize_t kept = ::write(file_.get(), line.data(), line.size());
    if (level >= echo_) [[maybe_unused]]
      const ssize_t shown = ::write(STDERR_FILENO, line.data(), line.size());
  } catch (...) {  // out of memory: the line is lost, the work goes on
  }
}

}  // namespace hearth::agent
