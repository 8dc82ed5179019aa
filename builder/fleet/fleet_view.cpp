#include "builder/fleet/fleet_view.hpp"

#include <unistd.h>

#include <cstdlib>
#include <map>
#include <set>

#include "base/cli/layout.hpp"
#include "base/cli/print.hpp"
#include "base/progress.hpp"
#include "base/text.hpp"
#include "builder/report/json_progress.hpp"

namespace hearth::builder {

namespace {

using Outcome = ImageResult::Outcome;

constexpr Duration k_fleet_frame = std::chrono::milliseconds(100);

/// One call, so that lines of other processes on the same terminal don't come between.
void say(const std::string& text) { cli::tell(text); }

/// Of the terminal that notes go to.
std::size_t terminal_room() { return cli::terminal_width(STDERR_FILENO, std::getenv("COLUMNS")); }

std::string with_name(const std::string& name, const std::string& text) {
  std::string lines;
  for (const std::string& line : split_lines(text)) lines += cat(name, ": ", clean_line(line), "\n");
  return lines;
}

/// The words that stand in the terminal when an image has ended.
std::string end_text(const ImageResult& image, const ProgressStyle& style) {
  const bool is_there = image.outcome == Outcome::built || image.outcome == Outcome::unchanged;
  const auto took = std::chrono::duration_cast<Duration>(std::chrono::duration<double>(image.seconds));
  std::string line = finished_line(image.name, is_there ? StepOutcome::done : StepOutcome::failed, took, style);
  if (image.outcome == Outcome::unchanged) line += "  up to date";
  if (image.outcome == Outcome::built)
    line += cat("  ", image.from_layers, image.from_layers == 1 ? " step from layers, " : " steps from layers, ",
                image.ran, " ran");
  std::string text = cat(line, "\n");
  if (!image.error.empty()) text += cat("hearth: image ", image.name, ": ", image.error, "\n");
  return text;
}

StepOutcome outcome_of(const Json& event) {
  const std::string text = text_member(event, "outcome");
  return text == "failed" ? StepOutcome::failed : text == "skipped" ? StepOutcome::skipped : StepOutcome::done;
}

Duration seconds_member(const Json& event) {
  const Json* const seconds = find_member(event, "seconds");
  const double value = seconds != nullptr && seconds->is_number() ? seconds->get<double>() : 0;
  return std::chrono::duration_cast<Duration>(std::chrono::duration<double>(value));
}

std::uint64_t number_member(const Json& event, std::string_view name) {
  const Json* const number = find_member(event, name);
  return number != nullptr && number->is_number_unsigned() ? number->get<std::uint64_t>() : 0;
}

/// Not on a terminal.
class PlainView final : public FleetView {
 public:
  explicit PlainView(ProgressStyle style) : style_(style) {}
  void begins(const ImageResult& /*image*/, const std::string& command_line) override { say(cat(command_line, "\n")); }
  void out(const ImageResult& image, const std::string& line) override {
    const Json event = json_or_null(line);
    const std::string kind = text_member(event, "event");
    if (kind == "note") say(with_name(image.name, text_member(event, "text")));
    if (kind == "step-end" && text_member(event, "outcome") != "cached") {
      say(cat(image.name, ": ",
              finished_line(text_member(event, "name"), outcome_of(event), seconds_member(event), style_), "\n"));
    }
  }
  void said(const ImageResult& image, const std::string& line) override { say(with_name(image.name, line)); }
  void ends(const ImageResult& image) override { say(end_text(image, style_)); }
  void finish(const std::vector<ImageResult>& results, double seconds) override {
    say(results_table(results, seconds));
  }

 private:
  ProgressStyle style_;
};

class TerminalView final : public FleetView {
 public:
  TerminalView(const Clock& clock, ProgressStyle style) : clock_(clock), style_(style), lines_(STDERR_FILENO) {}
  void begins(const ImageResult& image, const std::string& /*command_line*/) override {
    running_[image.name] = {.step = {.name = image.name}, .began = clock_.now()};
  }
  void out(const ImageResult& image, const std::string& line) override {
    const auto found = running_.find(image.name);
    if (found == running_.end()) return;
    Running& running = found->second;
    const Json event = json_or_null(line);
    const std::string kind = text_member(event, "event");
    if (kind == "step") {
      running.step.name = cat(image.name, " ", text_member(event, "name"));
      running.step.index = number_member(event, "index");
      running.step.total = number_member(event, "total");
      running.began = clock_.now();
    } else if (kind == "step-end") {
      if (text_member(event, "outcome") == "cached") ++running.step.cached;
    } else if (kind == "expect") {
      running.ends = clock_.now() + seconds_member(event);
    } else if (kind == "fetched") {
      running.step.fetched = number_member(event, "bytes");
    } else if (kind == "note") {
      lines_.print_above(with_name(image.name, text_member(event, "text")));
    }
  }
  void said(const ImageResult& image, const std::string& line) override {
    lines_.print_above(with_name(image.name, line));
  }
  void ends(const ImageResult& image) override {
    running_.erase(image.name);
    drawn_.reset();  // its line goes at the next tick
    ++done_;
    if (image.outcome == Outcome::failed) ++failed_;
    lines_.print_above(end_text(image, style_));
  }
  void tick(std::size_t waiting, const std::string& waits) override {
    const MonotonicTime now = clock_.now();
    if (drawn_ && now - *drawn_ < k_fleet_frame) return;
    drawn_ = now;
    const LiveLines::Room room = lines_.room();
    std::vector<std::string> lines;
    ++frame_;
    for (auto& [name, running] : running_) {
      if (lines.size() + 1 >= room.rows) break;
      running.step.elapsed = now - running.began;
      running.step.left.reset();
      if (running.ends && *running.ends > now) running.step.left = *running.ends - now;
      lines.push_back(live_line(running.step, frame_, room.columns, style_));
    }
    const std::size_t all = done_ + running_.size() + waiting;
    lines.push_back(cut_to_width(cat(done_, " of ", all, " images done, ", failed_, " failed, ", running_.size(),
                                     " running, ", waiting, " to come", waits.empty() ? "" : ": ", waits),
                                 room.columns, style_));
    lines_.show(lines);
  }
  void finish(const std::vector<ImageResult>& results, double seconds) override {
    lines_.show({});
    say(results_table(results, seconds, terminal_room()));
  }

 private:
  struct Running {
    RunningStep step;
    MonotonicTime began{};
    std::optional<MonotonicTime> ends = std::nullopt;
  };
  const Clock& clock_;
  ProgressStyle style_;
  LiveLines lines_;
  std::map<std::string, Running> running_;
  std::size_t done_ = 0;
  std::size_t failed_ = 0;
  std::size_t frame_ = 0;
  std::optional<MonotonicTime> drawn_;
};

class JsonView final : public FleetView {
 public:
  void out(const ImageResult& image, const std::string& line) override {
    Json event = json_or_null(line);
    if (!event.is_object()) return;
    event["image"] = image.stem;
    if (text_member(event, "event") == "end") told_their_end_.insert(image.stem);
    print_event(event);
  }
  void said(const ImageResult& image, const std::string& line) override { say(with_name(image.name, line)); }
  /// One that was killed could not tell its end.
  void ends(const ImageResult& image) override {
    if (told_their_end_.count(image.stem) == 0)
      print_event({{"event", "end"}, {"image", image.stem}, {"code", image.code}, {"error", image.error}});
    if (!image.error.empty()) say(cat("hearth: image ", image.name, ": ", image.error, "\n"));
  }
  void finish(const std::vector<ImageResult>& results, double seconds) override {
    Json event = {{"event", "images"}};
    event.update(results_json(results, seconds));
    print_event(event);
  }

 private:
  std::set<std::string> told_their_end_;
};

/// diskimage-builder's, and --verbose.
class LogView final : public FleetView {
 public:
  explicit LogView(bool has_names) : has_names_(has_names) {}
  void begins(const ImageResult& /*image*/, const std::string& command_line) override { say(cat(command_line, "\n")); }
  void out(const ImageResult& image, const std::string& line) override {
    cli::print(cat(has_names_ ? cat(image.name, ": ") : "", line, "\n"));
    cli::flush();
  }
  void said(const ImageResult& image, const std::string& line) override {
    say(cat(has_names_ ? cat(image.name, ": ") : "", line, "\n"));
  }
  void ends(const ImageResult& image) override {
    if (!image.error.empty()) say(cat("hearth: image ", image.name, ": ", image.error, "\n"));
  }
  void finish(const std::vector<ImageResult>& results, double seconds) override {
    say(results_table(results, seconds));
  }

 private:
  bool has_names_;
};

}  // namespace

std::unique_ptr<FleetView> make_fleet_view(Verbosity verbosity, std::size_t jobs, const Clock& clock,
                                           const Environment& environment) {
  if (verbosity == Verbosity::json) return std::make_unique<JsonView>();
  if (verbosity != Verbosity::progress) return std::make_unique<LogView>(jobs > 1);
  const bool is_live = is_live_terminal(STDERR_FILENO, environment);
  const ProgressStyle style = progress_style(environment, is_live);
  if (is_live) return std::make_unique<TerminalView>(clock, style);
  return std::make_unique<PlainView>(style);
}

}  // namespace hearth::builder
