#include "agent/net/log.hpp"

#include <fcntl.h>
#include <unistd.h>

#include "agent/log/python_log.hpp"
#include "base/error.hpp"
#include "base/text.hpp"

namespace hearth::agent::net {

std::string net_log_line(WallTime when, LogLevel level, std::string_view text) {
  return cat(log_time(when, '.'), " ", log_level_name(level), " os_net_config.main ", one_line(text), "\n");
}

NetLogger::NetLogger(const Clock& clock, const std::string& file, LogLevel threshold)
    : clock_(clock), threshold_(threshold) {
  if (file.empty()) return;
  try {
    file_ = Fd::open(file, O_WRONLY | O_APPEND | O_CREAT, 0640);
  } catch (const Error&) {  // stderr still has every line
  }
}

void NetLogger::log(LogLevel level, std::string_view text) noexcept {
  if (level < threshold_) return;
  try {
    const std::string line = net_log_line(clock_.wall(), level, text);
    [[maybe_unused]] ssize_t written = ::write(STDERR_FILENO, line.data(), line.size());
    if (file_) written = ::write(file_->get(), line.data(), line.size());
  } catch (...) {  // out of memory: the line is lost, the work goes on
  }
}

}  // namespace hearth::agent::net
