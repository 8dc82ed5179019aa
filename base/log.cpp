#include "base/log.hpp"

#include <unistd.h>

#include "base/hex.hpp"
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
  std::string line;
  for (std::size_t i = 0; i < text.size(); ++i) {
    const auto byte = static_cast<unsigned char>(text[i]);
    const auto next = static_cast<unsigned char>(i + 1 < text.size() ? text[i + 1] : 0);
    const bool second_control = byte == 0xc2 && next >= 0x80 && next < 0xa0;  // U+0080 to U+009F
    if (byte == '\n') {
      line += "\\n";
    } else if (byte == '\r') {
      line += "\\r";
    } else if ((byte < 0x20 && byte != '\t') || byte == 0x7f || second_control) {
      line += cat("\\x", to_hex(text.substr(i, second_control ? 2 : 1)));
      if (second_control) ++i;
    } else {
      line.push_back(text[i]);
    }
  }
  return line;
}

std::string plain_lines(std::string_view text) {
  std::vector<std::string> lines = split(text, '\n');
  for (std::string& line : lines) line = one_line(line);
  return join(lines, "\n");
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
