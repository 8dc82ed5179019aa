#include "base/text.hpp"

#include <algorithm>
#include <array>
#include <charconv>
#include <cstdint>
#include <cstdio>
#include <numeric>
#include <utility>

#include "base/result.hpp"

namespace hearth {

namespace {
constexpr std::string_view k_blanks = " \t\r\n\v\f";

constexpr std::size_t k_longest_name = 256;                     ///< that has a nearest one: time grows with the square
constexpr std::size_t k_longest_near = k_longest_name * 4 / 3;  ///< a third of its letters may be others
using DistanceRow = std::array<std::uint16_t, k_longest_near + 1>;

/// How many letters are put in, left out, changed, or exchanged with their neighbour; more than `most` where it is
/// more.
std::size_t edit_distance(std::string_view a, std::string_view b, std::size_t most) {
  std::array<DistanceRow, 3> rows{};
  std::iota(rows[0].begin(), rows[0].end(), std::uint16_t{0});
  std::size_t least_above = 0;
  for (std::size_t i = 1; i <= a.size(); ++i) {
    const DistanceRow& above = rows[(i + 1) % 3];
    const DistanceRow& row = rows[(i + 2) % 3];
    DistanceRow& next = rows[i % 3];
    std::size_t least = i;
    next[0] = static_cast<std::uint16_t>(i);
    for (std::size_t j = 1; j <= b.size(); ++j) {
      int best = std::min({row[j] + 1, next[j - 1] + 1, row[j - 1] + (a[i - 1] == b[j - 1] ? 0 : 1)});
      const bool exchanged = i > 1 && j > 1 && a[i - 1] == b[j - 2] && a[i - 2] == b[j - 1];
      if (exchanged) best = std::min(best, above[j - 2] + 1);
      next[j] = static_cast<std::uint16_t>(best);
      least = std::min<std::size_t>(least, next[j]);
    }
    if (std::min(least, least_above) > most) return most + 1;  // every way to the end goes through one of the two rows
    least_above = least;
  }
  return rows[a.size() % 3][b.size()];
}

bool is_plain_word_char(char c) {
  return (c >= '0' && c <= '9') || (c >= 'A' && c <= 'Z') || (c >= 'a' && c <= 'z') ||
         std::string_view("_-./=:,+@%").find(c) != std::string_view::npos;
}
}  // namespace

std::string ParseError::text() const {
  std::string where = source;
  if (at.line > 0) where += cat(":", at.line);
  if (at.line > 0 && at.column > 0) where += cat(":", at.column);
  return where.empty() ? what : cat(where, ": ", what);
}

std::string_view trim(std::string_view text) {
  const std::size_t first = text.find_first_not_of(k_blanks);
  if (first == std::string_view::npos) return {};
  return text.substr(first, text.find_last_not_of(k_blanks) - first + 1);
}

std::vector<std::string> split(std::string_view text, char separator) {
  std::vector<std::string> parts;
  while (true) {
    const std::size_t at = text.find(separator);
    parts.emplace_back(text.substr(0, at));
    if (at == std::string_view::npos) return parts;
    text.remove_prefix(at + 1);
  }
}

std::vector<std::string> split_words(std::string_view text) {
  std::vector<std::string> words;
  while (true) {
    const std::size_t begin = text.find_first_not_of(k_blanks);
    if (begin == std::string_view::npos) return words;
    text.remove_prefix(begin);
    const std::size_t end = std::min(text.find_first_of(k_blanks), text.size());
    words.emplace_back(text.substr(0, end));
    text.remove_prefix(end);
  }
}

std::vector<std::string> split_lines(std::string_view text) {
  std::vector<std::string> lines;
  while (!text.empty()) {
    const std::size_t end = text.find('\n');
    lines.emplace_back(text.substr(0, end));
    if (end == std::string_view::npos) break;
    text.remove_prefix(end + 1);
  }
  return lines;
}

std::string lines_as_one(std::string_view text) {
  std::vector<std::string> lines;
  for (const std::string& line : split_lines(text)) {
    if (const auto said = trim(line); !said.empty()) lines.emplace_back(said);
  }
  return join(lines, "; ");
}

std::string join(const std::vector<std::string>& parts, std::string_view separator) {
  std::string out;
  for (const std::string& part : parts) {
    if (&part != &parts.front()) out += separator;
    out += part;
  }
  return out;
}

std::string join_first(const std::vector<std::string>& parts, std::size_t most, std::string_view separator) {
  if (parts.size() <= most) return join(parts, separator);
  const std::vector<std::string> named(parts.begin(), parts.begin() + static_cast<std::ptrdiff_t>(most));
  return cat(join(named, separator), separator == ", " ? "" : trim(separator), " and ", parts.size() - most, " more");
}

std::string to_lower(std::string_view text) {
  std::string out(text);
  std::transform(out.begin(), out.end(), out.begin(),
                 [](char c) { return c >= 'A' && c <= 'Z' ? static_cast<char>(c - 'A' + 'a') : c; });
  return out;
}

std::string to_upper(std::string_view text) {
  std::string out(text);
  std::transform(out.begin(), out.end(), out.begin(),
                 [](char c) { return c >= 'a' && c <= 'z' ? static_cast<char>(c - 'a' + 'A') : c; });
  return out;
}

std::string replace_all(std::string text, std::string_view from, std::string_view to) {
  std::size_t at = from.empty() ? std::string::npos : text.find(from);
  if (at == std::string::npos) return text;
  std::string replaced;
  std::size_t begin = 0;
  for (; at != std::string::npos; at = text.find(from, begin)) {
    replaced.append(text, begin, at - begin).append(to);
    begin = at + from.size();
  }
  return replaced.append(text, begin);
}

bool has_suffix(std::string_view text, std::string_view end) { return text.size() > end.size() && text.ends_with(end); }

std::string xml_escaped(std::string_view text) {
  std::string out;
  for (const char c : text) {
    switch (c) {
      case '&': out += "&amp;"; break;
      case '<': out += "&lt;"; break;
      case '>': out += "&gt;"; break;
      case '"': out += "&quot;"; break;
      default: out += c;
    }
  }
  return out;
}

std::string octal_mode(std::uint32_t mode) {
  std::string digits;
  for (const unsigned shift : {9U, 6U, 3U, 0U}) digits.push_back(static_cast<char>('0' + ((mode >> shift) & 7U)));
  return digits;
}

std::optional<std::uint64_t> parse_number(std::string_view text) {
  std::uint64_t value = 0;
  const auto [end, code] = std::from_chars(text.data(), text.data() + text.size(), value);
  if (code != std::errc{} || end != text.data() + text.size()) return std::nullopt;
  return value;
}

std::string human_bytes(std::uint64_t bytes) {
  static constexpr std::array<const char*, 6> units = {"B", "KiB", "MiB", "GiB", "TiB", "PiB"};
  double value = static_cast<double>(bytes);
  std::size_t unit = 0;
  for (; value >= 1024 && unit + 1 < units.size(); ++unit) value /= 1024;
  return cat(fixed(value, unit == 0 ? 0 : 1), " ", units[unit]);
}

/// Not std::to_chars: its tables for this form are a hundred kilobytes in every static binary.
std::string fixed(double value, int decimals) {
  std::array<char, 64> buffer{};
  const int length = std::snprintf(buffer.data(), buffer.size(), "%.*f", decimals, value);
  return length > 0 && length < static_cast<int>(buffer.size()) ? std::string(buffer.data()) : "?";
}

std::string shell_quote(std::string_view word) {
  if (!word.empty() && std::all_of(word.begin(), word.end(), is_plain_word_char)) return std::string(word);
  return cat("'", replace_all(std::string(word), "'", "'\\''"), "'");
}

std::string shell_join(const std::vector<std::string>& words) {
  std::vector<std::string> quoted;
  quoted.reserve(words.size());
  for (const std::string& word : words) quoted.push_back(shell_quote(word));
  return join(quoted, " ");
}

namespace {

/// "manual" of "manual-management"; a letter or two say nothing.
std::optional<std::string> only_beginning(std::string_view word, const std::vector<std::string>& candidates) {
  constexpr std::size_t k_least = 3;
  const auto begins = [&](const std::string& candidate) { return candidate.starts_with(word); };
  if (word.size() < k_least || std::count_if(candidates.begin(), candidates.end(), begins) != 1) return std::nullopt;
  return *std::find_if(candidates.begin(), candidates.end(), begins);
}

}  // namespace

std::optional<std::string> nearest(std::string_view word, const std::vector<std::string>& candidates) {
  if (word.size() > k_longest_name) return std::nullopt;
  const std::size_t limit = std::max<std::size_t>(1, word.size() / 3);
  std::optional<std::string> best;
  std::size_t best_distance = limit + 1;
  for (const std::string& candidate : candidates) {
    const std::size_t apart = std::max(word.size(), candidate.size()) - std::min(word.size(), candidate.size());
    if (apart >= best_distance) continue;  // as many letters at least are put in or left out
    const std::size_t distance = edit_distance(word, candidate, best_distance - 1);
    if (distance < best_distance) {
      best_distance = distance;
      best = candidate;
    }
    if (best_distance <= 1) break;  // none is nearer
  }
  return best ? best : only_beginning(word, candidates);
}

}  // namespace hearth
