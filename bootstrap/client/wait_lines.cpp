#include "bootstrap/client/wait_lines.hpp"

#include "base/text.hpp"

namespace hearth::bootstrap {

namespace {

/// Times and counts are others at each look.
std::string less_numbers(std::string text) {
  std::erase_if(text, [](char c) { return c >= '0' && c <= '9'; });
  return text;
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
