#include "agent/apply/log.hpp"

#include <fcntl.h>
#include <unistd.h>

#include <array>
#include <ctime>
#include <utility>

#include "base/error.hpp"
#include "base/text.hpp"

namespace hearth::agent {

std::string apply_log_line(WallTime when, LogLevel level, std::string_view text) {
  const std::time_t seconds = unix_seconds(when);
  std::tm parts{};
  ::localtime_r(&seconds, &parts);
  std::array<char, 32> stamp{};
  const std::size_t size = std::strftime(stamp.data(), stamp.size(), "%Y/%m/%d %I:%M:%S ", &parts);
  return cat("[", std::string_view(stamp.data(), size), parts.tm_hour < 12 ? "AM" : "PM", "] [", log_level_name(level),
             "] ", replace_all(one_line(text), "\\n  ", "\n  "),
             "\n");  // indented: what follows passes for no line of its own
}

ApplyLogger::ApplyLogger(const Clock& clock, std::string file, LogLevel threshold)
    : clock_(clock), unopened_(std::move(file)), threshold_(threshold) {}

void ApplyLogger::open() {
  const std::string path = std::exchange(unopened_, "");
  try {
    if (!path.empty()) file_ = Fd::open(path, O_WRONLY | O_APPEND | O_CREAT, 0640);
  } catch (const Error&) {  // stderr still has every line
  }
}

void ApplyLogger::log(LogLevel level, std::string_view text) noexcept {
  if (level < threshold_) return;
  try {
    const std::string line = apply_log_line(clock_.wall(), level, text);
    open();
    [[maybe_unused]] ssize_t written = ::write(STDERR_FILENO, line.data(), line.size());
    if (file_) written = ::write(file_.get(), line.data(), line.size());
  } catch (...) {  // out of memory: the line is lost, the work goes on
  }
}

}  // namespace hearth::agent
