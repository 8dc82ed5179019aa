#include "agent/log/python_log.hpp"

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

std::optional<LogLine> parse_log_line(std::string_view line) {
  constexpr std::string_view form = "[0000-00-00 00:00:00,000] (";
  if (line.size() < form.size()) return std::nullopt;
  for (std::size_t i = 0; i < form.size(); ++i) {
    const bool digit = line[i] >= '0' && line[i] <= '9';
    if (form[i] == '0' ? !digit : line[i] != form[i]) return std::nullopt;
  }
  const std::size_t begin = line.find(") [");
  const std::size_t end = begin == std::string_view::npos ? begin : line.find("] ", begin);
  if (end == std::string_view::npos) return std::nullopt;
  const std::string_view name = line.substr(begin + 3, end - begin - 3);
  for (const LogLevel level : {LogLevel::debug, LogLevel::info, LogLevel::warning, LogLevel::error}) {
    if (name == log_level_name(level)) return LogLine{level, line.substr(end + 2)};
  }
  return std::nullopt;
}

void PythonLogger::log(LogLevel level, std::string_view text) noexcept {
  if (!threshold_ || level < *threshold_) return;
  try {
    const std::size_t size = text.find_last_not_of('\n') + 1;  // some of the originals' messages end in an empty line
    const std::string line = cat("[", log_time(clock_.wall(), ','), "] (", name_, ") [", log_level_name(level), "] ",
                                 one_line(text.substr(0, size)), text.substr(size), "\n");
    [[maybe_unused]] const ssize_t written = ::write(fd_, line.data(), line.size());
  } catch (...) {  // out of memory: the line is lost, the work goes on
  }
}

}  // namespace hearth::agent
