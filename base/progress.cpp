#include "base/progress.hpp"

#include <sys/ioctl.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>

#include "base/text.hpp"
#include "base/variable.hpp"

namespace hearth {

namespace {

constexpr std::size_t k_tail_lines = 20;
constexpr std::size_t k_usual_columns = 80;
constexpr std::size_t k_usual_rows = 24;
constexpr Duration k_frame = std::chrono::milliseconds(80);
constexpr Duration k_sign_of_life = std::chrono::minutes(1);  // of a step, in a log
constexpr std::string_view k_wipe_line = "\r\x1b[K";

/// Best effort: whoever watches may have gone.
void put(int fd, std::string_view text) {
  while (!text.empty()) {
    const ssize_t written = ::write(fd, text.data(), text.size());
    if (written < 0 && errno == EINTR) continue;
    if (written <= 0) return;
    text.remove_prefix(static_cast<std::size_t>(written));
  }
}

LiveLines::Room terminal_size(int fd) {
  winsize size{};
  if (::ioctl(fd, TIOCGWINSZ, &size) != 0) size = {};
  return {size.ws_col == 0 ? k_usual_columns : size.ws_col, size.ws_row == 0 ? k_usual_rows : size.ws_row};
}

/// POSIX: the first of LC_ALL, LC_CTYPE and LANG that is set and not empty decides.
bool is_utf8(const Environment& env) {
  for (const char* name : {"LC_ALL", "LC_CTYPE", "LANG"}) {
    const std::string value = to_lower(variable(env, name));
    if (value.empty()) continue;
    return value.find("utf-8") != std::string::npos || value.find("utf8") != std::string::npos;
  }
  return false;
}

/// What a step has printed last; an empty line tells nothing.
void keep_line(RunningStep& step, std::string_view text) {
  const std::string cleaned = clean_line(text);
  if (!trim(cleaned).empty()) step.last_line = cleaned;
}

/// What an estimate leaves; nothing when it takes longer than the last time: nobody knows.
std::optional<Duration> left_until(const std::optional<MonotonicTime>& end, MonotonicTime now) {
  return end && *end > now ? std::optional<Duration>(*end - now) : std::nullopt;
}

/// Text as lines of the log: cleaned, each with its end.
std::string as_lines(std::string_view text) {
  std::string out;
  for (const std::string& line : split_lines(text)) out += cat(clean_line(line), "\n");
  return out;
}

}  // namespace

void OutputTail::add(std::string_view line) {
  lines_.push_back(clean_line(line));
  if (lines_.size() > k_tail_lines) lines_.pop_front();
}

std::string OutputTail::text() const {
  std::string text;
  for (const std::string& line : lines_) text += cat("    ", line, "\n");
  return text;
}

void PlainProgress::step_begin(std::string_view name, std::size_t, std::size_t) {
  step_ = RunningStep{.name = std::string(name)};
  began_ = told_ = clock_.now();
}

void PlainProgress::line(std::string_view text) {
  if (!step_) return;
  keep_line(*step_, text);
  tick();
}

void PlainProgress::tick() {
  const MonotonicTime now = clock_.now();
  if (!step_ || now - told_ < k_sign_of_life) return;
  told_ = now;
  step_->elapsed = now - began_;
  step_->left = left_until(ends_, now);
  step_->fetched = fetched_;
  put(fd_, cat(still_running_line(*step_, style_), "\n"));
}

void PlainProgress::step_end(StepOutcome outcome, Duration duration) {
  if (step_) put(fd_, cat(finished_line(step_->name, outcome, duration, style_), "\n"));
  step_.reset();
}

void PlainProgress::note(std::string_view text) { put(fd_, as_lines(text)); }

void PlainProgress::finish(std::string_view summary) { put(fd_, as_lines(summary)); }

TerminalProgress::~TerminalProgress() {
  if (live_) put(fd_, k_wipe_line);
}

void TerminalProgress::step_begin(std::string_view name, std::size_t index, std::size_t total) {
  step_ = RunningStep{.name = std::string(name), .index = index, .total = total};
  began_ = clock_.now();
  draw();
}

void TerminalProgress::line(std::string_view text) {
  if (!step_) return;
  keep_line(*step_, text);
  tick();
}

void TerminalProgress::tick() {
  if (step_ && (!drawn_ || clock_.now() - *drawn_ >= k_frame)) draw();
}

void TerminalProgress::step_end(StepOutcome outcome, Duration duration) {
  if (!step_) return;
  if (outcome == StepOutcome::cached) ++cached_;
  const std::string text = cat(finished_line(step_->name, outcome, duration, style_), "\n");
  step_.reset();
  print_above(text);
}

void TerminalProgress::expect(Duration left) {
  ends_ = clock_.now() + left;
  if (step_) draw();
}

void TerminalProgress::note(std::string_view text) { print_above(as_lines(text)); }

void TerminalProgress::finish(std::string_view summary) {
  step_.reset();
  print_above(as_lines(summary));
}

/// The last column stays free: a terminal that wraps there would leave lines that can't be wiped.
void TerminalProgress::draw() {
  const MonotonicTime now = clock_.now();
  step_->elapsed = now - began_;
  step_->left = left_until(ends_, now);
  step_->fetched = fetched_;
  step_->cached = cached_;
  drawn_ = now;
  live_ = true;
  put(fd_, cat(k_wipe_line, live_line(*step_, frame_++, terminal_size(fd_).columns - 1, style_)));
}

void TerminalProgress::print_above(std::string_view text) {
  put(fd_, cat(live_ ? k_wipe_line : "", text));
  live_ = false;
  if (step_) draw();
}

LiveLines::Room LiveLines::room() const {
  const Room size = terminal_size(fd_);
  return {size.columns - 1, std::max<std::size_t>(size.rows, 2) - 1};
}

/// A terminal that became narrower has wrapped them.
std::string LiveLines::wipe() const {
  const std::size_t columns = terminal_size(fd_).columns;
  std::size_t rows = 0;
  for (const std::string& line : lines_)
    rows += std::max<std::size_t>(1, (display_width(clean_line(line)) + columns - 1) / columns);
  if (rows == 0) return "";
  return cat(rows > 1 ? cat("\x1b[", rows - 1, "A") : "", "\r\x1b[J");
}

void LiveLines::show(const std::vector<std::string>& lines) {
  const std::string text = cat(wipe(), join(lines, "\n"));
  lines_ = lines;
  put(fd_, text);
}

void LiveLines::print_above(std::string_view text) {
  const std::string whole = cat(wipe(), text, join(lines_, "\n"));
  put(fd_, whole);
}

ProgressStyle progress_style(const Environment& env, bool terminal) {
  return {.color = terminal && variable(env, "NO_COLOR").empty(), .unicode = is_utf8(env)};
}

bool is_live_terminal(int fd, const Environment& env) {
  const std::string term = variable(env, "TERM");
  return ::isatty(fd) == 1 && !term.empty() && term != "dumb";
}

void wipe_live_line(int fd, const Environment& env) {
  if (is_live_terminal(fd, env)) put(fd, k_wipe_line);
}

std::unique_ptr<Progress> make_progress(int fd, const Clock& clock, const Environment& env) {
  const bool terminal = is_live_terminal(fd, env);
  const ProgressStyle style = progress_style(env, terminal);
  if (terminal) return std::make_unique<TerminalProgress>(fd, clock, style);
  return std::make_unique<PlainProgress>(fd, clock, style);
}

}  // namespace hearth
