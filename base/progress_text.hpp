// How progress looks: pure functions from values to text. base/progress.hpp does the writing.
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "base/clock.hpp"

namespace hearth {

/// How a step ended.
enum class StepOutcome {
  done,
  failed,
  skipped,  ///< nothing to do
  cached,   ///< taken from an earlier run
};

/// What the terminal (or pipe) can show.
struct ProgressStyle {
  bool color = false;    ///< ANSI SGR sequences
  bool unicode = false;  ///< marks and bars beyond ASCII
};

/// A step that is running, as the live line shows it.
struct RunningStep {
  std::string name;
  std::size_t index = 0;  ///< 1-based
  std::size_t total = 0;  ///< 0 = unknown: no counter, no bar
  Duration elapsed{};
  std::string last_line;                        ///< what it printed last; may be empty
  std::optional<Duration> left = std::nullopt;  ///< how long everything is going to take yet; nothing = unknown
  std::uint64_t fetched = 0;                    ///< bytes
  std::size_t cached = 0;                       ///< steps that were taken from an earlier run
};

/// One step of a finished run. Rows with a lower `phase` come first; rows of one phase keep their order.
struct TimingRow {
  std::string name;
  Duration duration{};
  int phase = 0;
  Duration begin{};  ///< since the first step began
};

/// "0.4s", "12.3s", "1m05s", "2h03m". Negative durations show as 0.0s.
[[nodiscard]] std::string elapsed_text(Duration duration);

/// An estimate, in whole seconds: "1s", "42s", "3m05s".
[[nodiscard]] std::string rough_text(Duration duration);

/// A line of program output made safe for one terminal line: escape sequences and what is_order() tells go, tabs become
/// blanks, of text overwritten by carriage returns the last part stays, bytes that are not UTF-8 become '?'.
[[nodiscard]] std::string clean_line(std::string_view text);

/// Terminal columns that valid UTF-8 without control characters takes (East Asian wide 2, combining marks 0).
[[nodiscard]] std::size_t display_width(std::string_view text);

/// The text cut to at most `columns`; a cut text ends in the style's ellipsis ("…" or "...") where that fits.
[[nodiscard]] std::string cut_to_width(std::string_view text, std::size_t columns, const ProgressStyle& style);

/// `fraction` (0…1, others are clamped) as a bar of exactly `width` columns.
[[nodiscard]] std::string bar_text(double fraction, std::size_t width, const ProgressStyle& style);

/// "✓ install.d/20-foo  1.2s"; no line end. Skipped and cached steps tell that instead of the time.
[[nodiscard]] std::string finished_line(std::string_view name, StepOutcome outcome, Duration duration,
                                        const ProgressStyle& style);

/// The live line, at most `columns` wide: spinner (its `frame`-th picture), counter, bar, name, time, what is left
/// and what was saved, last output.
[[nodiscard]] std::string live_line(const RunningStep& step, std::size_t frame, std::size_t columns,
                                    const ProgressStyle& style);

/// A sign of life of a step that takes minutes, for a log: "… root.d/08-debootstrap  2m00s so far, 12.3 MB fetched:
/// Unpacking dash"; no line end. Its output is cut to a line.
[[nodiscard]] std::string still_running_line(const RunningStep& step, const ProgressStyle& style);

/// Those that took a hundredth of the time or more, the others as one row behind them ("31 quicker steps"); two that
/// are quick stay what they are.
[[nodiscard]] std::vector<TimingRow> rows_that_matter(std::vector<TimingRow> rows);

/// Where the time went: one aligned line a row (name, seconds, share of the sum, bar), then the total. Ends in a
/// newline; no rows give no text.
[[nodiscard]] std::string timing_table(std::vector<TimingRow> rows, const ProgressStyle& style = {});

}  // namespace hearth
