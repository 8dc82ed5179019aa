// Watching a booting machine's console: what is expected, in order, and the signs that it will never come. Pure: bytes
// and times go in, a verdict comes out.
#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "base/clock.hpp"
#include "base/pattern.hpp"

namespace hearth::builder::vm {

/// An expectation that came true.
struct Seen {
  std::string expected;  ///< the regular expression
  std::string line;      ///< the console line that it matched in
  Duration after{};      ///< since the machine was started
  bool operator==(const Seen&) const = default;
};

class ConsoleWatch {
 public:
  /// `expectations` are ECMAScript regular expressions, matched within lines, each behind the one before it. Throws
  /// Error(usage) for one that isn't.
  explicit ConsoleWatch(const std::vector<std::string>& expectations);

  /// Takes console output as it arrives. Terminal control sequences are dropped, but what a menu writes into another
  /// row of the screen is a line of its own; lines are cut at 4096 characters.
  void feed(std::string_view bytes, Duration now);

  [[nodiscard]] bool all_seen() const { return seen_.size() == expected_.size(); }
  /// Why the machine will never get there ("kernel panic: …"), as soon as that is known.
  [[nodiscard]] const std::optional<std::string>& failure() const { return failure_; }
  [[nodiscard]] const std::vector<Seen>& seen() const { return seen_; }
  /// The expectation that is waited for; empty when all were seen.
  [[nodiscard]] std::string waiting_for() const;
  /// When a prompt to log in was shown first, whether anybody expected it or not: the system has come up then.
  [[nodiscard]] std::optional<Duration> came_up() const { return came_up_; }
  /// The last lines of the console, at most 40, without the frames and blanks that menus are drawn with.
  [[nodiscard]] const std::vector<std::string>& last_lines() const { return lines_; }

 private:
  enum class Escape { none, begun, csi, osc };

  void take(char c, Duration now);
  bool in_escape(char c, Duration now);
  void place_cursor(Duration now);
  void match(Duration now);
  void end_line();

  struct Expectation {
    std::string text;
    Pattern pattern;
  };
  std::vector<Expectation> expected_;
  std::vector<Seen> seen_;
  std::optional<std::string> failure_;
  std::optional<Duration> came_up_;
  std::vector<std::string> lines_;
  std::string line_;
  std::size_t matched_to_ = 0;  ///< in line_: an expectation is searched behind the one before it
  Escape escape_ = Escape::none;
  std::string parameters_;  ///< of the control sequence at hand
  std::string row_;         ///< of the screen, that the line stands in; empty where nothing named one
};

}  // namespace hearth::builder::vm
