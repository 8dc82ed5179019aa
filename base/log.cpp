#include "base/log.hpp"

#include <unistd.h>

#include "base/text.hpp"

namespace hearth {

std::string_view log_level_name(LogLevel level) {
  switch (level) {
    case LogLevel::debug: return "DEBUG";
    case LogLevel::info: return "INFO";
    case LogLevel::warning: return "WARNING";
    case LogLevel::error: return "ERROR";
  }
  return "?";
}

std::string one_line(std::string_view text) {
  return replace_all(replace_all(std::string(text), "\n", "\\n"), "\r", "\\r");
}

void FdLogger::log(LogLevel level, std::string_view text) noexcept {
  if (level < threshold_) return;
  try {
    const std::string line = cat(log_level_name(level), " ", one_line(text), "\n");
    [[maybe_unused]] const ssize_t written = ::write(fd_, line.data(), line.size());
  } catch (...) {  // out of memory: the line is lost, the work goes on
  }
}

}  // namespace hearth
