#include "base/log.hpp"

#include <unistd.h>

#include <array>

#include "base/hex.hpp"
#include "base/text.hpp"
#include "base/utf8.hpp"

namespace hearth {

namespace {

enum class Lines { escaped, kept };

void append_escaped(std::string& line, std::string_view bytes, const DecodedCharacter& character) {
  constexpr char32_t k_first_of_pairs = 0x10000;
  const auto unit = [&line](char32_t value) {
    const std::array<char, 2> both = {static_cast<char>(value >> 8U), static_cast<char>(value & 0xffU)};
    line += cat("\\u", to_hex({both.data(), both.size()}));
  };
  if (!character.valid || character.value < 0x20) {  // never in JSON
    for (const char byte : bytes) line += cat("\\x", to_hex({&byte, 1}));
  } else if (character.value < k_first_of_pairs) {
    unit(character.value);
  } else {  // as JSON writes it
    unit(0xd800 + ((character.value - k_first_of_pairs) >> 10U));
    unit(0xdc00 + (character.value & 0x3ffU));
  }
}

std::string shown(std::string_view text, Lines lines) {
  std::string line;
  line.reserve(text.size());
  while (!text.empty()) {
    const DecodedCharacter character = decode_utf8(text);
    const std::string_view bytes = text.substr(0, character.length);
    text.remove_prefix(character.length);
    const bool stays = character.value == '\t' || (character.value == '\n' && lines == Lines::kept);
    if (stays || (character.valid && !is_order(character.value))) {
      line += bytes;
    } else if (character.value == '\n' || character.value == '\r') {
      line += character.value == '\n' ? "\\n" : "\\r";
    } else {
      append_escaped(line, bytes, character);
    }
  }
  return line;
}

}  // namespace

std::string_view log_level_name(LogLevel level) {
  switch (level) {
    case LogLevel::debug: return "DEBUG";
    case LogLevel::info: return "INFO";
    case LogLevel::warning: return "WARNING";
    case LogLevel::error: return "ERROR";
  }
  return "?";
}

bool is_order(char32_t character) {
  const auto within = [character](char32_t first, char32_t last) { return character >= first && character <= last; };
  return character < 0x20 || within(0x7f, 0x9f) || character == 0xad || character == 0x61c || character == 0x180e ||
         character == 0x200b || within(0x200e, 0x200f) || within(0x2028, 0x202e) || within(0x2060, 0x206f) ||
         character == 0xfeff || within(0xfff9, 0xfffb) || within(0xe0000, 0xe007f);
}

std::string one_line(std::string_view text) { return shown(text, Lines::escaped); }

std::string shown_text(std::string_view text) { return shown(text, Lines::kept); }

void FdLogger::log(LogLevel level, std::string_view text) noexcept {
  if (level < threshold_) return;
  try {
    const std::string line = cat(log_level_name(level), " ", one_line(text), "\n");
    [[maybe_unused]] const ssize_t written = ::write(fd_, line.data(), line.size());
  } catch (...) {  // out of memory: the line is lost, the work goes on
  }
}

}  // namespace hearth
