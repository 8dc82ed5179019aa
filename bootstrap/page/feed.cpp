#include "bootstrap/page/feed.hpp"

#include <algorithm>

#include "base/text.hpp"

namespace hearth::bootstrap {

std::string to_text(const FeedPosition& position) {
  return cat(position.run, "-", position.change, "-", position.event, "-", position.line);
}

std::optional<FeedPosition> parse_position(std::string_view text) {
  const std::vector<std::string> parts = split(text, '-');
  if (parts.size() != 4) return std::nullopt;
  const auto change = parse_number(parts[1]);
  const auto event = parse_number(parts[2]);
  const auto line = parse_number(parts[3]);
  if (!change || !event || !line) return std::nullopt;
  return FeedPosition{parts[0], *change, static_cast<std::int64_t>(*event), *line};
}

void Feed::node_changed(const std::string& uuid) {
  const auto [known, is_new] = changed_.try_emplace(uuid, 0);
  if (!is_new) in_order_.erase(known->second);
  known->second = ++now_.change;
  in_order_.emplace_hint(in_order_.end(), known->second, uuid);
}

void Feed::node_removed(const std::string& uuid) {
  if (const auto known = changed_.find(uuid); known != changed_.end()) {
    in_order_.erase(known->second);
    changed_.erase(known);
  }
  removed_.emplace_back(++now_.change, uuid);
  if (removed_.size() <= k_removed) return;
  forgotten_ = removed_.front().first;
  removed_.pop_front();
}

void Feed::event_came(std::int64_t id) { now_.event = id; }

void Feed::line_came(std::int64_t at, LogLevel level, std::string text) {
  if (text.size() > k_line_bytes) text = cat(text.substr(0, k_line_bytes), "…");
  lines_.push_back({++now_.line, at, level, std::move(text)});
  if (lines_.size() > k_lines) lines_.pop_front();
}

bool Feed::knows(const FeedPosition& position) const {
  return position.run == now_.run && position.change >= forgotten_ && position.change <= now_.change &&
         position.event <= now_.event && position.line <= now_.line;
}

std::vector<std::string> Feed::changed_since(std::uint64_t change) const {
  std::vector<std::string> found;
  for (auto at = in_order_.upper_bound(change); at != in_order_.end(); ++at) found.push_back(at->second);
  return found;
}

std::vector<std::string> Feed::removed_since(std::uint64_t change) const {
  std::vector<std::string> found;
  for (auto at = removed_.rbegin(); at != removed_.rend() && at->first > change; ++at) found.push_back(at->second);
  std::reverse(found.begin(), found.end());
  return found;
}

std::vector<LogLine> Feed::lines_since(std::uint64_t line) const {
  std::vector<LogLine> found;
  for (const LogLine& one : lines_) {
    if (one.number > line) found.push_back(one);
  }
  return found;
}

std::string stream_message(std::string_view name, const std::string& id, const std::string& data) {
  std::string message = cat("id: ", id, "\nevent: ", name, "\n");
  for (const std::string& line : split(data, '\n')) message += cat("data: ", line, "\n");
  return cat(message, "\n");
}

}  // namespace hearth::bootstrap
