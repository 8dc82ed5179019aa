#include "metadata/live/timed_log.hpp"

#include "base/text.hpp"
#include "metadata/engine/words.hpp"

namespace hearth::metadata::live {

void TimedLogger::log(LogLevel level, std::string_view text) noexcept {
  try {
    const auto now = unix_seconds(clock_.wall());
    inner_.log(level, cat(iso_time(now), " ", text));
  } catch (const std::exception&) {  // no memory: the line is lost, the work goes on
  }
}

}  // namespace hearth::metadata::live
