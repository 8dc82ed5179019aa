#include "builder/report/json_progress.hpp"

#include <unistd.h>

#include <cmath>

#include "base/cli/print.hpp"
#include "base/sys/broken_pipe.hpp"
#include "base/text.hpp"

namespace hearth::builder {

namespace {

constexpr std::uint64_t k_news_of_fetching = std::uint64_t{1} << 20U;  // bytes

/// In one call where the kernel takes it, so that lines of two processes don't mix. What programs print need not be
/// text.
void write_event(int fd, const Json& event) {
  const NoBrokenPipeSignal guard;
  const std::string line = cat(format_json(event, {.lossy = true}), "\n");
  std::string_view rest = line;
  while (!rest.empty()) {
    const ssize_t written = ::write(fd, rest.data(), rest.size());
    if (written < 0 && errno == EINTR) continue;
    if (written <= 0) {  // nobody reads any more, or the file's disk is full: the build goes on, and its end tells it
      if (fd == STDOUT_FILENO) cli::lost_output(errno);
      return;
    }
    rest.remove_prefix(static_cast<std::size_t>(written));
  }
}

const char* outcome_name(StepOutcome outcome) {
  switch (outcome) {
    case StepOutcome::done: return "done";
    case StepOutcome::failed: return "failed";
    case StepOutcome::skipped: return "skipped";
    case StepOutcome::cached: return "cached";
  }
  return "";
}

double seconds_of(Duration time) { return std::round(std::chrono::duration<double>(time).count() * 1000) / 1000; }

}  // namespace

void print_event(const Json& event) { write_event(STDOUT_FILENO, event); }

void JsonProgress::step_begin(std::string_view name, std::size_t index, std::size_t total) {
  name_ = name;
  tail_.clear();
  write_event(fd_, {{"event", "step"}, {"index", index}, {"total", total}, {"name", name_}});
}

void JsonProgress::step_end(StepOutcome outcome, Duration duration) {
  if (outcome == StepOutcome::failed) write_event(fd_, {{"event", "output"}, {"name", name_}, {"text", tail_.text()}});
  write_event(
      fd_,
      {{"event", "step-end"}, {"name", name_}, {"outcome", outcome_name(outcome)}, {"seconds", seconds_of(duration)}});
}

void JsonProgress::expect(Duration left) {
  const double seconds = seconds_of(left);
  const double change = std::abs(seconds - expected_);
  if (change < 1 || change < expected_ / 10) return;
  expected_ = seconds;
  write_event(fd_, {{"event", "expect"}, {"seconds", seconds}});
}

void JsonProgress::fetched(std::uint64_t bytes) {
  if (bytes < fetched_ + k_news_of_fetching) return;
  fetched_ = bytes;
  write_event(fd_, {{"event", "fetched"}, {"bytes", bytes}});
}

void JsonProgress::note(std::string_view text) { write_event(fd_, {{"event", "note"}, {"text", text}}); }

void JsonProgress::finish(std::string_view summary) { write_event(fd_, {{"event", "summary"}, {"text", summary}}); }

}  // namespace hearth::builder
