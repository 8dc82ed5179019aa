#include "builder/evidence/step_spans.hpp"

#include <ctime>

namespace hearth::builder::evidence {

namespace {

std::int64_t file_time() {
  struct timespec now {};
  ::clock_gettime(CLOCK_REALTIME_COARSE, &now);
  return now.tv_sec * std::int64_t{1'000'000'000} + now.tv_nsec;
}

class Noting final : public Progress {
 public:
  Noting(std::unique_ptr<Progress> progress, std::vector<StepSpan>& spans)
      : progress_(std::move(progress)), spans_(spans) {}
  void step_begin(std::string_view name, std::size_t index, std::size_t total) override {
    spans_.push_back({std::string(name), next_file_time()});
    progress_->step_begin(name, index, total);
  }
  void line(std::string_view text) override { progress_->line(text); }
  void tick() override { progress_->tick(); }
  void step_end(StepOutcome outcome, Duration duration) override { progress_->step_end(outcome, duration); }
  void expect(Duration left) override { progress_->expect(left); }
  void fetched(std::uint64_t bytes) override { progress_->fetched(bytes); }
  void note(std::string_view text) override { progress_->note(text); }
  void finish(std::string_view summary) override { progress_->finish(summary); }

 private:
  std::unique_ptr<Progress> progress_;
  std::vector<StepSpan>& spans_;
};

}  // namespace

std::int64_t next_file_time() {
  std::int64_t last = file_time();
  // Twice: what a process reads of the clock may be a moment behind what the kernel stamps with.
  for (int ticks = 0; ticks < 2;) {
    const struct timespec pause { 0, 200'000 };
    ::nanosleep(&pause, nullptr);
    const std::int64_t now = file_time();
    if (now != last) ++ticks;
    last = now;
  }
  return last;
}

std::unique_ptr<Progress> note_steps(std::unique_ptr<Progress> progress, std::vector<StepSpan>& spans) {
  return std::make_unique<Noting>(std::move(progress), spans);
}

}  // namespace hearth::builder::evidence
