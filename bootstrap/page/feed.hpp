// What has changed since when, for readers of the status page who come, go and come again. Pure bookkeeping: the rows
// and events themselves are the ledger's.
//
// Each message of the stream has a position as its id ("RUN-CHANGE-EVENT-LINE"). A reader who comes again sends the
// last one that he has seen (Last-Event-ID, HTML standard section 9.2), and gets exactly what he missed. Of another run
// of the program he keeps only events, which outlive it.
#pragma once

#include <cstdint>
#include <deque>
#include <map>
#include <optional>
#include <set>
#include <string>
#include <string_view>
#include <vector>

#include "base/log.hpp"

namespace hearth::bootstrap {

struct FeedPosition {
  std::string run;  ///< of the program; positions of another one mean nothing but their event
  std::uint64_t change = 0;
  std::int64_t event = 0;
  std::uint64_t line = 0;
};
[[nodiscard]] std::string to_text(const FeedPosition& position);
[[nodiscard]] std::optional<FeedPosition> parse_position(std::string_view text);

struct LogLine {
  std::uint64_t number = 0;
  std::int64_t at = 0;  ///< microseconds since 1970
  LogLevel level = LogLevel::info;
  std::string text;
};

class Feed {
 public:
  explicit Feed(std::string run) { now_.run = std::move(run); }

  void node_changed(const std::string& uuid);
  void node_removed(const std::string& uuid);
  void event_came(std::int64_t id);
  void line_came(std::int64_t at, LogLevel level, std::string text);

  [[nodiscard]] const FeedPosition& now() const { return now_; }
  /// Whether he can be told what he missed; else he must be told everything.
  [[nodiscard]] bool knows(const FeedPosition& position) const;
  /// Behind that position, which is known; what changed first comes first.
  [[nodiscard]] std::vector<std::string> changed_since(std::uint64_t change) const;
  [[nodiscard]] std::vector<std::string> removed_since(std::uint64_t change) const;
  [[nodiscard]] std::vector<LogLine> lines_since(std::uint64_t line) const;

 private:
  static constexpr std::size_t k_removed = 4096;
  static constexpr std::size_t k_lines = 500;
  static constexpr std::size_t k_line_bytes = 2000;

  FeedPosition now_;
  std::map<std::string, std::uint64_t> changed_;   ///< when each node changed last
  std::map<std::uint64_t, std::string> in_order_;  ///< the same, by when: who asks is told without a look at the others
  std::deque<std::pair<std::uint64_t, std::string>> removed_;
  std::uint64_t forgotten_ = 0;  ///< removals up to this change are not known any more
  std::deque<LogLine> lines_;
};

/// One message of an event stream: `id: …`, `event: …`, `data: …`.
[[nodiscard]] std::string stream_message(std::string_view name, const std::string& id, const std::string& data);

}  // namespace hearth::bootstrap
