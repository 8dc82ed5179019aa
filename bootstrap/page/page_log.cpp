#include "bootstrap/page/page_log.hpp"

#include <utility>

namespace hearth::bootstrap {

void PageLog::log(LogLevel level, std::string_view text) noexcept {
  next_.log(level, text);
  if (level == LogLevel::debug) return;
  try {
    const auto since_1970 = clock_.wall().time_since_epoch();
    const std::lock_guard lock(mutex_);
    if (lines_.size() >= 500) lines_.erase(lines_.begin());
    lines_.push_back(
        {0, std::chrono::duration_cast<std::chrono::microseconds>(since_1970).count(), level, std::string(text)});
  } catch (...) {  // out of memory: the page goes without the line
  }
}

std::vector<LogLine> PageLog::take() {
  const std::lock_guard lock(mutex_);
  return std::exchange(lines_, {});
}

}  // namespace hearth::bootstrap
