#include "builder/vm/console_watch.hpp"

#include <array>
#include <utility>

#include "base/text.hpp"

namespace hearth::builder::vm {

namespace {

constexpr std::size_t k_longest_line = 4096;
constexpr std::size_t k_kept_lines = 40;
constexpr std::size_t k_longest_parameters = 32;

/// What a console says when nothing more will come, and how to tell it.
constexpr std::array<std::pair<std::string_view, std::string_view>, 11> k_failures = {{
    {"Kernel panic", "the kernel panicked"},
    {"grub rescue>", "GRUB did not find its files"},
    {"No bootable device", "the firmware found nothing to boot"},
    {"No bootable option or device was found", "the firmware found nothing to boot"},
    {"Boot failed: not a bootable disk", "the firmware found nothing to boot"},
    {"UEFI Interactive Shell", "the firmware found nothing to boot"},
    {"You are in emergency mode", "the system fell into emergency mode"},
    {"Gave up waiting for root", "the ramdisk did not find the root file system"},
    {"(initramfs)", "the ramdisk fell into its shell"},
    {"Failed to boot both default and fallback entries", "GRUB could not load the kernel"},
    {"error: no such device:", "GRUB did not find the root file system"},
}};

/// A character of U+2500 to U+257F, in UTF-8, of which menus draw their frames.
bool is_of_frame(std::string_view character) {
  return character.size() == 3 && character[0] == '\xe2' && (character[1] == '\x94' || character[1] == '\x95');
}

/// Without blanks at its end, and without the frame around it: of that nothing is left.
std::string without_frame(std::string_view line) {
  std::size_t begin = 0;
  for (std::size_t at = 0; at < line.size();) {
    if (is_of_frame(line.substr(at, 3)))
      begin = at += 3;
    else if (line[at] == ' ')
      ++at;
    else
      break;
  }
  std::size_t end = line.size();
  while (end > begin) {
    if (line[end - 1] == ' ')
      --end;
    else if (end >= begin + 3 && is_of_frame(line.substr(end - 3, 3)))
      end -= 3;
    else
      break;
  }
  return std::string(line.substr(begin, end - begin));
}

}  // namespace

ConsoleWatch::ConsoleWatch(const std::vector<std::string>& expectations) {
  for (const std::string& text : expectations) expected_.push_back({text, Pattern(text)});
}

std::string ConsoleWatch::waiting_for() const { return all_seen() ? "" : expected_[seen_.size()].text; }

void ConsoleWatch::feed(std::string_view bytes, Duration now) {
  for (const char c : bytes) take(c, now);
  match(now);  // a prompt has no line end
}

void ConsoleWatch::take(char c, Duration now) {
  if (in_escape(c, now) || c == '\r' || c == '\0') return;
  if (c == '\n' || line_.size() >= k_longest_line) {
    match(now);
    end_line();
  }
  if (c != '\n') line_.push_back(c);
}

/// ECMA-48 control sequences: ESC [ … final, ESC ] … BEL, ESC and one character.
bool ConsoleWatch::in_escape(char c, Duration now) {
  switch (escape_) {
    case Escape::none:
      if (c == '\x1b') escape_ = Escape::begun;
      return c == '\x1b';
    case Escape::begun:
      parameters_.clear();
      escape_ = c == '[' ? Escape::csi : c == ']' ? Escape::osc : Escape::none;
      return true;
    case Escape::csi:
      if (c < '@' || c > '~') {
        if (parameters_.size() < k_longest_parameters) parameters_ += c;
        return true;
      }
      escape_ = Escape::none;
      if (c == 'H' || c == 'f') place_cursor(now);
      return true;
    case Escape::osc:
      if (c == '\a' || c == '\n') escape_ = Escape::none;
      return true;
  }
  return false;
}

/// "ROW;COLUMN"
void ConsoleWatch::place_cursor(Duration now) {
  std::string row = parameters_.substr(0, parameters_.find(';'));
  if (row != row_ && !line_.empty()) {
    match(now);
    end_line();
  }
  row_ = std::move(row);
}

void ConsoleWatch::match(Duration now) {
  if (!came_up_ && line_.find("login:") != std::string::npos) came_up_ = now;
  while (!all_seen()) {
    const std::optional<Pattern::Place> found = expected_[seen_.size()].pattern.find(line_, matched_to_);
    if (!found) break;
    matched_to_ = found->end;
    seen_.push_back({expected_[seen_.size()].text, line_, now});
  }
  if (failure_ || (all_seen() && matched_to_ > 0)) return;  // the last line that was expected may be such a sign
  for (const auto& [sign, meaning] : k_failures) {
    if (line_.find(sign) == std::string::npos) continue;
    failure_ = cat(meaning, ": ", trim(line_));
    return;
  }
}

void ConsoleWatch::end_line() {
  std::string line = without_frame(line_);
  if (!line.empty() && (lines_.empty() || lines_.back() != line)) lines_.push_back(std::move(line));
  if (lines_.size() > k_kept_lines) lines_.erase(lines_.begin());
  line_.clear();
  row_.clear();
  matched_to_ = 0;
}

}  // namespace hearth::builder::vm
