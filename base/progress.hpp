// Progress: how long work tells a person (or a log) where it is. Doers call the seam; whether there is a terminal is
// decided once, by make_progress(). How things look is base/progress_text.hpp; tests use
// tests/fakes/recording_progress.
//
// There is no thread behind the live line, on purpose: this process makes namespaces by a raw clone3(2), and a thread
// that holds the allocator's lock at that moment would leave it locked in the child for ever. So the clock on the line
// moves when line() or tick() is called; Command::on_tick (base/sys/process.hpp) is the place to call tick() from.
#pragma once

#include <deque>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "base/clock.hpp"
#include "base/environment.hpp"
#include "base/progress_text.hpp"

namespace hearth {

/// Steps come one after the other: step_begin, any number of line and tick, step_end; at last finish. Nothing here
/// throws for the sake of the output: a broken terminal or pipe must not end a build.
class Progress {
 public:
  virtual ~Progress() = default;
  /// `index` counts from 1; `total` 0 = unknown.
  virtual void step_begin(std::string_view name, std::size_t index, std::size_t total) = 0;
  /// A line that the current step printed; any bytes.
  virtual void line(std::string_view text) = 0;
  /// Time passes: the live line may be drawn anew. Cheap; call it as often as is handy.
  virtual void tick() {}
  virtual void step_end(StepOutcome outcome, Duration duration) = 0;
  /// How long everything from the running step on is going to take, as an estimate of this moment.
  virtual void expect(Duration /*left*/) {}
  /// How many bytes were fetched so far.
  virtual void fetched(std::uint64_t /*bytes*/) {}
  /// Something worth a line of its own, within a step or between steps.
  virtual void note(std::string_view text) = 0;
  /// The last words; may have several lines. Nothing is live afterwards.
  virtual void finish(std::string_view summary) = 0;
};

/// What was last printed by the current step, for the case that it fails.
class OutputTail {
 public:
  void clear() { lines_.clear(); }
  void add(std::string_view line);
  /// The kept lines, each cleaned, indented and ended; empty when there are none.
  [[nodiscard]] std::string text() const;

 private:
  std::deque<std::string> lines_;
};

/// One line per finished step, for pipes and log files, and one for each minute that a step takes: who reads a log can
/// tell slow work from work that hangs. What a failed one printed last is told by its error.
class PlainProgress final : public Progress {
 public:
  /// `fd` is not owned.
  explicit PlainProgress(int fd, const Clock& clock, ProgressStyle style = {})
      : fd_(fd), clock_(clock), style_(style) {}
  void step_begin(std::string_view name, std::size_t index, std::size_t total) override;
  void line(std::string_view text) override;
  void tick() override;
  void step_end(StepOutcome outcome, Duration duration) override;
  void expect(Duration left) override { ends_ = clock_.now() + left; }
  void fetched(std::uint64_t bytes) override { fetched_ = bytes; }
  void note(std::string_view text) override;
  void finish(std::string_view summary) override;

 private:
  int fd_;
  const Clock& clock_;
  ProgressStyle style_;
  std::optional<RunningStep> step_;
  MonotonicTime began_{};
  MonotonicTime told_{};               ///< when the step was last heard of
  std::optional<MonotonicTime> ends_;  ///< when all is done, by the last estimate
  std::uint64_t fetched_ = 0;
};

/// As PlainProgress, with one live line below. The cursor is never hidden nor is any mode set, so that a killed build
/// leaves the terminal as it was; the destructor wipes the live line.
class TerminalProgress final : public Progress {
 public:
  /// `fd` is a terminal, not owned. Its width is asked for at every drawing, so that resizing just works.
  TerminalProgress(int fd, const Clock& clock, ProgressStyle style) : fd_(fd), clock_(clock), style_(style) {}
  TerminalProgress(const TerminalProgress&) = delete;
  TerminalProgress& operator=(const TerminalProgress&) = delete;
  ~TerminalProgress() override;
  void step_begin(std::string_view name, std::size_t index, std::size_t total) override;
  void line(std::string_view text) override;
  void tick() override;
  void step_end(StepOutcome outcome, Duration duration) override;
  void expect(Duration left) override;
  void fetched(std::uint64_t bytes) override { fetched_ = bytes; }
  void note(std::string_view text) override;
  void finish(std::string_view summary) override;

 private:
  void draw();
  void print_above(std::string_view text);

  int fd_;
  const Clock& clock_;
  ProgressStyle style_;
  std::optional<RunningStep> step_;
  MonotonicTime began_{};
  std::optional<MonotonicTime> ends_;  ///< when all is done, by the last estimate
  std::uint64_t fetched_ = 0;
  std::size_t cached_ = 0;
  std::optional<MonotonicTime> drawn_;
  std::size_t frame_ = 0;
  bool live_ = false;  ///< a live line stands on the terminal
};

/// Several live lines below what is printed. As with TerminalProgress nothing of the terminal's state is changed.
class LiveLines {
 public:
  /// `fd` is a terminal, not owned.
  explicit LiveLines(int fd) : fd_(fd) {}
  LiveLines(const LiveLines&) = delete;
  LiveLines& operator=(const LiveLines&) = delete;
  ~LiveLines() { show({}); }

  struct Room {
    std::size_t columns = 0;
    std::size_t rows = 0;
  };
  /// What lines may take at this moment: the last column and the last row stay free.
  [[nodiscard]] Room room() const;
  /// In place of those that stood there. Lines fit the room, and have no ends.
  void show(const std::vector<std::string>& lines);
  /// Text of whole lines above them.
  void print_above(std::string_view text);

 private:
  [[nodiscard]] std::string wipe() const;
  int fd_;
  std::vector<std::string> lines_;
};

/// Whether make_progress() makes a TerminalProgress.
[[nodiscard]] bool is_live_terminal(int fd, const Environment& env);

/// Takes away the live line that another process, which was killed, left where make_progress() draws one.
void wipe_live_line(int fd, const Environment& env);

/// NO_COLOR (set and not empty) takes colours away; marks are Unicode when LC_ALL, LC_CTYPE or LANG names UTF-8.
[[nodiscard]] ProgressStyle progress_style(const Environment& env, bool terminal);

/// TerminalProgress when `fd` is a terminal and TERM is neither empty nor "dumb", else PlainProgress.
[[nodiscard]] std::unique_ptr<Progress> make_progress(int fd, const Clock& clock, const Environment& env);

}  // namespace hearth
