#include "bootstrap/client/wait_lines.hpp"

#include <algorithm>
#include <cctype>
#include <string_view>

#include "base/text.hpp"

namespace hearth::bootstrap {

namespace {

bool is_digit(char c) { return c >= '0' && c <= '9'; }

/// "17", "3/10", "45%", "12s", "22:58:26", "2026-11-26T22:58:26Z", as no name begins; no address of IPv4 and no card's.
bool is_time_or_count(std::string_view word) {
  constexpr std::size_t k_longest_unit = 3;
  if (word.empty() || !is_digit(word.front())) return false;
  if (std::count(word.begin(), word.end(), '.') > 2 || std::count(word.begin(), word.end(), ':') > 2) return false;
  std::size_t end = word.size();
  while (end > 0 && word.size() - end < k_longest_unit && std::isalpha(static_cast<unsigned char>(word[end - 1])) != 0)
    --end;
  return word.substr(0, end).find_first_not_of("0123456789.:/%-+T") == std::string_view::npos;
}

/// Times and counts are others at each look; what has a number in its name is another one.
std::string less_numbers(std::string_view text) {
  constexpr std::string_view k_between = " \t(),;";
  std::string rest;
  while (!text.empty()) {
    const std::size_t end = std::min(text.find_first_of(k_between), text.size());
    std::string_view word = text.substr(0, end);
    while (word.ends_with('.') || word.ends_with(':')) word.remove_suffix(1);
    if (!is_time_or_count(word)) rest += word;
    rest += text.substr(word.size(), std::min(end + 1, text.size()) - word.size());
    text.remove_prefix(std::min(end + 1, text.size()));
  }
  return rest;
}

}  // namespace

void WaitLines::look(const std::string& what) {
  if (what.empty() || !is_due()) return;
  const MonotonicTime now = clock_.now();
  const bool is_new = less_numbers(what) != last_;
  if (!is_new && now - last_told_.value_or(now) < k_again) return;
  if (is_new) since_ = now;
  const auto seconds = std::chrono::duration_cast<std::chrono::seconds>(now - since_).count();
  tell_(is_new ? cat("waiting for ", what, "\n") : cat("still waiting for ", what, " (", seconds, " s)\n"));
  last_ = less_numbers(what);
  last_told_ = now;
  next_ = now + k_pause;
}

}  // namespace hearth::bootstrap
