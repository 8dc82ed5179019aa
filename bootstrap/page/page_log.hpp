// The conductor's log, passed on and kept for the status page for a moment. Any thread may log.
#pragma once

#include <mutex>
#include <string>
#include <vector>

#include "base/clock.hpp"
#include "base/log.hpp"
#include "bootstrap/page/feed.hpp"

namespace hearth::bootstrap {

class PageLog final : public Logger {
 public:
  PageLog(Logger& next, const Clock& clock) : next_(next), clock_(clock) {}
  void log(LogLevel level, std::string_view text) noexcept override;
  /// What was logged since the last call, at most the newest 500 lines; debug is left out.
  [[nodiscard]] std::vector<LogLine> take();

 private:
  Logger& next_;
  const Clock& clock_;
  std::mutex mutex_;
  std::vector<LogLine> lines_;
};

}  // namespace hearth::bootstrap
