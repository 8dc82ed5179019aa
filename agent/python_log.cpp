#include "agent/python_log.hpp"

#include <unistd.h>

#include <array>
#include <cstdio>
#include <ctime>

#include "base/text.hpp"

namespace hearth::agent {

std::string log_time(WallTime time, char separator) {
  const auto milliseconds = std::chrono::duration_cast<std::chrono::milliseconds>(time.time_since_epoch()).count();
  const std::time_t seconds = static_cast<std::time_t>(milliseconds / 1000);
  std::tm local{};
  ::localtime_r(&seconds, &local);
  std::array<char, 64> text{};
  const std::size_t length = std::strftime(text.data(), text.size(), "%Y-%m-%d %H:%M:%S", &local);
  std::array<char, 8> fraction{};
  std::snprintf(fraction.data(), fraction.size(), "%03d", static_cast<int>(milliseconds % 1000));
  return cat(std::string_view(text.data(), length), separator, fraction.data());
}

void PythonLogger::log(LogLevel level, std::string_view text) noexcept {
  if (!threshold_ || level < *threshold_) return;
  try {
    const std::string line =
        cat("[", log_time(clock_.wall(), ','), "] (", name_, ") [", log_level_name(level), "] ", text, "\n");
    [[maybe_unused]] const ssize_t written = ::write(fd_, line.data(), line.size());
  } catch (...) {  // out of memory: the line is lost, the work goes on
  }
}

}  // namespace hearth::agent
