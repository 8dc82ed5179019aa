#include "agent/heat_config/deployment/excerpt.hpp"

#include "base/text.hpp"

namespace hearth::agent {

namespace {

constexpr std::size_t k_in_front = 64;

}  // namespace

void Excerpt::line(std::string_view text) {
  if (!full_ && text.size() + k_in_front <= left_) {
    left_ -= text.size() + k_in_front;
    sink_(text);
    return;
  }
  if (!full_) sink_("[there is more; its end will be shown here]");
  full_ = true;
  kept_.append(text);
  kept_.push_back('\n');
  if (kept_.size() > 2 * last_) cut_kept();
}

/// Whole lines, where they are shorter than what is kept.
void Excerpt::cut_kept() {
  if (kept_.size() <= last_) return;
  std::size_t cut = kept_.size() - last_;
  const std::size_t end = kept_.find('\n', cut - 1);
  if (end != std::string::npos && end + 1 < kept_.size()) cut = end + 1;
  left_out_ += cut;
  kept_.erase(0, cut);
}

void Excerpt::finish() {
  cut_kept();
  if (left_out_ > 0) sink_(cat("[", human_bytes(left_out_), " are left out]"));
  for (const std::string& line : split_lines(kept_)) sink_(line);
  kept_.clear();
  left_out_ = 0;
}

}  // namespace hearth::agent
