#include "base/progress_text.hpp"

#include <algorithm>
#include <array>
#include <cmath>
#include <cstdint>

#include "base/log.hpp"
#include "base/text.hpp"
#include "base/utf8.hpp"

namespace hearth {

namespace {

constexpr std::size_t k_live_bar = 10;
constexpr std::size_t k_table_bar = 24;
constexpr std::size_t k_most_name_columns = 60;

/// A decoded UTF-8 character; size 0 = the bytes there are not one.
struct Character {
  char32_t code = 0;
  std::size_t size = 0;
};

Character decode(std::string_view text) {
  const DecodedCharacter decoded = decode_utf8(text);
  return decoded.valid ? Character{decoded.value, decoded.length} : Character{};
}

struct Columns {
  char32_t first;
  char32_t last;
};

/// Unicode's East Asian Width W and F, coarsely: a wrong guess costs a column, not correctness.
constexpr std::array<Columns, 10> k_wide = {{{0x1100, 0x115F},
                                             {0x2E80, 0xA4CF},
                                             {0xAC00, 0xD7A3},
                                             {0xF900, 0xFAFF},
                                             {0xFE30, 0xFE6F},
                                             {0xFF00, 0xFF60},
                                             {0xFFE0, 0xFFE6},
                                             {0x1F300, 0x1F64F},
                                             {0x1F900, 0x1F9FF},
                                             {0x20000, 0x3FFFD}}};
constexpr std::array<Columns, 4> k_zero = {{{0x0300, 0x036F}, {0x200B, 0x200F}, {0x20D0, 0x20FF}, {0xFE00, 0xFE0F}}};

template <std::size_t N>
bool is_in(const std::array<Columns, N>& ranges, char32_t code) {
  return std::any_of(ranges.begin(), ranges.end(),
                     [code](const Columns& range) { return code >= range.first && code <= range.last; });
}

std::size_t columns_of(char32_t code) {
  if (is_in(k_zero, code)) return 0;
  return is_in(k_wide, code) ? 2 : 1;
}

/// Length of the escape sequence that `text` (which begins with ESC) starts with. ECMA-48: CSI = ESC [ …, ended by a
/// byte 40-7E; OSC = ESC ] …, ended by BEL or ESC \; the others have two characters.
std::size_t escape_length(std::string_view text) {
  if (text.size() < 2) return text.size();
  if (text[1] == '[') {
    const auto end = std::find_if(text.begin() + 2, text.end(), [](char c) { return c >= 0x40 && c <= 0x7E; });
    return end == text.end() ? text.size() : static_cast<std::size_t>(end - text.begin()) + 1;
  }
  if (text[1] == ']') {
    const std::size_t end = text.find_first_of("\a\x1b", 2);
    if (end == std::string_view::npos) return text.size();
    return std::min(text.size(), end + (text[end] == '\a' ? 1 : 2));
  }
  return 2;
}

/// What a carriage return leaves to be seen: the last part that has something in it.
std::string_view after_overwriting(std::string_view text) {
  while (!text.empty() && text.back() == '\r') text.remove_suffix(1);
  const std::size_t at = text.rfind('\r');
  return at == std::string_view::npos ? text : text.substr(at + 1);
}

/// The longest beginning of `text` that takes at most `columns`.
std::string_view head(std::string_view text, std::size_t columns) {
  std::size_t used = 0;
  std::size_t at = 0;
  while (at < text.size()) {
    const Character character = decode(text.substr(at));
    used += character.size == 0 ? 1 : columns_of(character.code);
    if (used > columns) break;
    at += std::max<std::size_t>(1, character.size);
  }
  return text.substr(0, at);
}

std::string pad_right(std::string text, std::size_t columns) {
  const std::size_t width = display_width(text);
  if (width < columns) text.append(columns - width, ' ');
  return text;
}

std::string pad_left(const std::string& text, std::size_t columns) {
  const std::size_t width = display_width(text);
  return width < columns ? cat(std::string(columns - width, ' '), text) : text;
}

struct Mark {
  const char* unicode;
  const char* ascii;
  const char* color;  ///< SGR number
};

Mark mark_of(StepOutcome outcome) {
  switch (outcome) {
    case StepOutcome::done: return {"✓", "ok", "32"};
    case StepOutcome::failed: return {"✗", "FAILED", "31"};
    case StepOutcome::skipped: return {"-", "-", "2"};
    case StepOutcome::cached: return {"=", "=", "36"};
  }
  return {"?", "?", "0"};
}

std::string colored(std::string_view text, const char* color, const ProgressStyle& style) {
  return style.color ? cat("\x1b[", color, "m", text, "\x1b[0m") : std::string(text);
}

std::string two_digits(long long number) { return cat(number < 10 ? "0" : "", number); }

double seconds_of(Duration duration) { return std::chrono::duration<double>(std::max(duration, Duration{})).count(); }

std::string spinner(std::size_t frame, const ProgressStyle& style) {
  static constexpr std::array<const char*, 10> dots = {"⠋", "⠙", "⠹", "⠸", "⠼", "⠴", "⠦", "⠧", "⠇", "⠏"};
  static constexpr std::array<const char*, 4> lines = {"|", "/", "-", "\\"};
  return style.unicode ? dots[frame % dots.size()] : lines[frame % lines.size()];
}

}  // namespace

std::string elapsed_text(Duration duration) {
  const double exact = seconds_of(duration);
  if (exact < 59.95) return cat(fixed(exact, 1), "s");
  const auto seconds = std::llround(exact);
  if (seconds < 3600) return cat(seconds / 60, "m", two_digits(seconds % 60), "s");
  return cat(seconds / 3600, "h", two_digits(seconds % 3600 / 60), "m");
}

std::string clean_line(std::string_view text) {
  std::string out;
  for (text = after_overwriting(text); !text.empty();) {
    if (text.front() == '\x1b') {
      text.remove_prefix(escape_length(text));
      continue;
    }
    const Character character = decode(text);
    if (character.size == 0) {
      out += '?';
    } else if (character.code == '\t') {
      out += ' ';
    } else if (!is_order(character.code)) {
      out += text.substr(0, character.size);
    }
    text.remove_prefix(std::max<std::size_t>(1, character.size));
  }
  return out;
}

std::size_t display_width(std::string_view text) {
  std::size_t width = 0;
  while (!text.empty()) {
    const Character character = decode(text);
    width += character.size == 0 ? 1 : columns_of(character.code);
    text.remove_prefix(std::max<std::size_t>(1, character.size));
  }
  return width;
}

std::string cut_to_width(std::string_view text, std::size_t columns, const ProgressStyle& style) {
  if (display_width(text) <= columns) return std::string(text);
  const std::string ellipsis = style.unicode ? "…" : "...";
  const std::size_t tail = display_width(ellipsis);
  if (columns <= tail) return std::string(head(text, columns));
  return cat(head(text, columns - tail), ellipsis);
}

std::string bar_text(double fraction, std::size_t width, const ProgressStyle& style) {
  static constexpr std::array<const char*, 8> eighths = {"", "▏", "▎", "▍", "▌", "▋", "▊", "▉"};
  const double share = std::clamp(fraction, 0.0, 1.0);
  const auto steps = static_cast<std::size_t>(std::llround(share * static_cast<double>(width) * 8));
  std::string bar;
  if (!style.unicode) {
    bar.append((steps + 4) / 8, '#');
  } else {
    for (std::size_t i = 0; i < steps / 8; ++i) bar += "█";
    bar += eighths[steps % 8];
  }
  return pad_right(std::move(bar), width);
}

std::string finished_line(std::string_view name, StepOutcome outcome, Duration duration, const ProgressStyle& style) {
  const Mark mark = mark_of(outcome);
  std::string tail = elapsed_text(duration);
  if (outcome == StepOutcome::skipped) tail = "skipped";
  if (outcome == StepOutcome::cached) tail = "cached";
  return cat(colored(style.unicode ? mark.unicode : mark.ascii, mark.color, style), " ", clean_line(name), "  ", tail);
}

std::string rough_text(Duration duration) {
  const auto seconds = std::max<std::int64_t>(1, std::chrono::round<std::chrono::seconds>(duration).count());
  return seconds < 60 ? cat(seconds, "s") : elapsed_text(std::chrono::seconds(seconds));
}

std::string live_line(const RunningStep& step, std::size_t frame, std::size_t columns, const ProgressStyle& style) {
  std::string text = spinner(frame, style);
  if (step.total > 0) {
    const std::size_t finished = step.index > 0 ? step.index - 1 : 0;
    const double fraction = static_cast<double>(finished) / static_cast<double>(step.total);
    text += cat(" ", step.index, "/", step.total, " [", bar_text(fraction, k_live_bar, style), "]");
  }
  text += cat(" ", clean_line(step.name), "  ", elapsed_text(step.elapsed));
  if (step.left) text += cat(", about ", rough_text(*step.left), " left");
  if (step.fetched > 0) text += cat(", ", human_bytes(step.fetched), " fetched");
  if (step.cached > 0) text += cat(", ", step.cached, " cached");
  const std::string output = clean_line(step.last_line);
  if (output.empty()) return cut_to_width(text, columns, style);
  const std::size_t before = display_width(text) + 2;
  if (before >= columns) return cut_to_width(text, columns, style);
  return cat(text, "  ", colored(cut_to_width(output, columns - before, style), "2", style));
}

std::string still_running_line(const RunningStep& step, const ProgressStyle& style) {
  constexpr std::size_t k_columns = 160;  // logs are read in wide windows
  std::string text =
      cat(style.unicode ? "…" : "..", " ", clean_line(step.name), "  ", elapsed_text(step.elapsed), " so far");
  if (step.left) text += cat(", about ", rough_text(*step.left), " left");
  if (step.fetched > 0) text += cat(", ", human_bytes(step.fetched), " fetched");
  if (!step.last_line.empty()) text += cat(": ", step.last_line);
  return cut_to_width(text, k_columns, style);
}

std::vector<TimingRow> rows_that_matter(std::vector<TimingRow> rows) {
  constexpr double k_least_share = 0.01;
  double total = 0;
  for (const TimingRow& row : rows) total += seconds_of(row.duration);
  const auto is_quick = [&](const TimingRow& row) { return seconds_of(row.duration) < total * k_least_share; };
  const auto quick = std::count_if(rows.begin(), rows.end(), is_quick);
  if (quick <= 2) return rows;
  TimingRow others{.name = cat(quick, " quicker steps"), .duration = {}};
  for (const TimingRow& row : rows) {
    others.phase = std::max(others.phase, row.phase);
    if (is_quick(row)) others.duration += row.duration;
  }
  std::erase_if(rows, is_quick);
  rows.push_back(others);
  return rows;
}

std::string timing_table(std::vector<TimingRow> rows, const ProgressStyle& style) {
  if (rows.empty()) return "";
  std::stable_sort(rows.begin(), rows.end(), [](const TimingRow& a, const TimingRow& b) { return a.phase < b.phase; });
  double total = 0;
  std::size_t name_columns = display_width("total");
  for (TimingRow& row : rows) {
    row.name = cut_to_width(clean_line(row.name), k_most_name_columns, style);
    name_columns = std::max(name_columns, display_width(row.name));
    total += seconds_of(row.duration);
  }
  const std::size_t seconds_columns = std::max<std::size_t>(7, fixed(total, 1).size());
  std::string text;
  const auto add = [&](const std::string& name, double seconds, double share) {
    text += cat(pad_right(name, name_columns), "  ", pad_left(fixed(seconds, 1), seconds_columns), " s  ",
                pad_left(fixed(share * 100, 1), 5), " %");
  };
  for (const TimingRow& row : rows) {
    const double share = total > 0 ? seconds_of(row.duration) / total : 0;
    add(row.name, seconds_of(row.duration), share);
    const std::string bar(trim(bar_text(share, k_table_bar, style)));
    text += cat(bar.empty() ? "" : "  ", bar, "\n");
  }
  add("total", total, total > 0 ? 1 : 0);
  return cat(text, "\n");
}

}  // namespace hearth
