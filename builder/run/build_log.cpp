#include "builder/run/build_log.hpp"

#include <fcntl.h>
#include <unistd.h>

#include <array>
#include <cstdio>
#include <ctime>

#include "base/redaction.hpp"
#include "base/text.hpp"

namespace hearth::builder {

std::string utc_stamp(WallTime time) {
  const auto since_epoch = time.time_since_epoch();
  const auto seconds = std::chrono::floor<std::chrono::seconds>(since_epoch);
  const auto millis = std::chrono::duration_cast<std::chrono::milliseconds>(since_epoch - seconds).count();
  const std::time_t clock_seconds = seconds.count();
  std::tm parts{};
  ::gmtime_r(&clock_seconds, &parts);
  std::array<char, 32> text{};
  std::strftime(text.data(), text.size(), "%Y-%m-%d %H:%M:%S", &parts);
  std::array<char, 8> fraction{};
  std::snprintf(fraction.data(), fraction.size(), ".%03d", static_cast<int>(millis));
  return cat(text.data(), fraction.data());
}

void BuildLog::add_file(const std::string& path) {
  files_.push_back(Fd::open(path, O_WRONLY | O_CREAT | O_APPEND, 0644));
  if (main_file_.empty()) main_file_ = path;
}

void BuildLog::line(std::string_view text) noexcept {
  try {
    const std::string kept = without_credentials(text);  // the log is copied along with the image, and kept by CI
    const std::string stamped = cat(utc_stamp(clock_.wall()), " | ", kept, "\n");
    const auto put = [](int fd, std::string_view line) {
      [[maybe_unused]] const ssize_t written = ::write(fd, line.data(), line.size());
    };
    for (const Fd& file : files_) put(file.get(), stamped);
    if (echo_) put(STDOUT_FILENO, echo_stamped_ ? stamped : cat(kept, "\n"));
  } catch (...) {  // out of memory: the line is lost, the build goes on
  }
}

}  // namespace hearth::builder
