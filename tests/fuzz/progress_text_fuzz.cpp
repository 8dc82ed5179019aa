// Whatever a program prints: the live line stays within its columns, and no control character reaches the terminal.
#include <algorithm>

#include "base/progress_text.hpp"
#include "tests/fuzz/check.hpp"

using hearth::fuzz::check;

namespace {
bool is_plain(std::string_view text) {
  return std::all_of(text.begin(), text.end(),
                     [](char c) { return static_cast<unsigned char>(c) >= 0x20 && c != 0x7F; });
}
}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  if (size == 0) return 0;
  const std::string text(hearth::fuzz::text_of(data + 1, size - 1));
  const std::size_t columns = data[0];
  const hearth::ProgressStyle style{.unicode = columns % 2 == 0};
  const hearth::RunningStep step{.name = text.substr(0, 20), .index = 1, .total = columns % 3, .last_line = text};
  const std::string line = hearth::live_line(step, columns, columns, style);
  check(is_plain(line) && hearth::display_width(line) <= columns);
  check(is_plain(hearth::clean_line(text)));
  check(hearth::clean_line(hearth::clean_line(text)) == hearth::clean_line(text));
  return 0;
}
