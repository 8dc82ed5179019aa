#include "agent/heat_config/log.hpp"

#include <unistd.h>

#include <array>
#include <ctime>

#include "base/text.hpp"

namespace hearth::agent {

std::string heat_log_line(WallTime when, std::string_view name, LogLevel level, std::string_view text) {
  const auto since = std::chrono::duration_cast<std::chrono::milliseconds>(when.time_since_epoch()).count();
  const std::time_t seconds = since / 1000;
  std::tm parts{};
  ::localtime_r(&seconds, &parts);
  std::array<char, 32> stamp{};
  const std::size_t size = std::strftime(stamp.data(), stamp.size(), "%Y-%m-%d %H:%M:%S", &parts);
  const std::string millis = std::to_string(1000 + since % 1000).substr(1);
  return cat("[", std::string_view(stamp.data(), size), ",", millis, "] (", name, ") [", log_level_name(level), "] ",
             text, "\n");
}

void HeatLogger::log(LogLevel level, std::string_view text) noexcept {
  if (level < threshold_) return;
  try {
    const std::string line = heat_log_line(clock_.wall(), name_, level, text);
    [[maybe_unused]] const ssize_t written = ::write(STDERR_FILENO, line.data(), line.size());
  } catch (...) {  // out of memory: the line is lost, the work goes on
  }
}

}  // namespace hearth::agent
