#include "agent/deploy/spread/shelf.hpp"

#include <algorithm>

#include "base/check.hpp"

namespace hearth::agent::deploy {

std::vector<Span> spans_of(const frames::Head& head, const std::vector<frames::Frame>& map) {
  std::vector<Span> spans;
  spans.reserve(map.size());
  std::uint64_t offset = head.data_offset();
  for (const frames::Frame& frame : map) {
    spans.push_back({offset, offset + frame.stored - 1});
    offset += frame.stored;
  }
  return spans;
}

void Shelf::open(const std::string& root, const frames::Head& head, const std::vector<frames::Frame>& map,
                 std::uint64_t limit) {
  const std::lock_guard guard(lock_);
  root_ = root;
  rows_.clear();
  order_.clear();
  forgotten_ = 0;
  kept_ = 0;
  limit_ = limit;
  closed_ = false;
  for (const Span& span : spans_of(head, map)) rows_.push_back({span});
  changed_.notify_all();
}

void Shelf::put(std::size_t frame, Block bytes) {
  const std::lock_guard guard(lock_);
  check(frame < rows_.size(), "a frame on the shelf is one of the map", "frame", frame, "frames", rows_.size());
  Row& row = rows_[frame];
  if (row.came) return;
  row.came = true;
  row.bytes = std::move(bytes);
  kept_ += row.span.last - row.span.first + 1;
  order_.push_back(frame);
  while (kept_ > limit_) {
    Row& old = rows_[order_[forgotten_++]];
    kept_ -= old.span.last - old.span.first + 1;
    old.bytes.reset();
  }
  changed_.notify_all();
}

void Shelf::close() {
  const std::lock_guard guard(lock_);
  closed_ = true;
  changed_.notify_all();
}

Shelf::Look Shelf::look_now(const std::string& root, const Span& span) const {
  if (root_.empty()) return {closed_ ? Found::never : Found::awaited, nullptr};
  if (root_ != root) return {};
  const auto at = std::lower_bound(rows_.begin(), rows_.end(), span.first,
                                   [](const Row& row, std::uint64_t first) { return row.span.first < first; });
  if (at == rows_.end() || at->span != span) return {};
  const Row& row = *at;
  if (row.bytes) return {Found::here, row.bytes};
  return {row.came || closed_ ? Found::never : Found::awaited, nullptr};
}

Shelf::Look Shelf::look(const std::string& root, const Span& span, Duration patience) {
  std::unique_lock lock(lock_);
  Look found;
  changed_.wait_for(lock, patience, [&] {
    found = look_now(root, span);
    return found.found != Found::awaited;
  });
  return found;
}

}  // namespace hearth::agent::deploy
