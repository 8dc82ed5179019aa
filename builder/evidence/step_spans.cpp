#include "builder/evidence/step_spans.hpp"

namespace hearth::builder::evidence {

namespace {

class Noting final : public Progress {
 public:
  Noting(std::unique_ptr<Progress> progress, const Clock& clock, std::vector<StepSpan>& spans)
      : progress_(std::move(progress)), clock_(clock), spans_(spans) {}
  void step_begin(std::string_view name, std::size_t index, std::size_t total) override {
    spans_.push_back({std::string(name), clock_.wall().time_since_epoch().count()});
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
  const Clock& clock_;
  std::vector<StepSpan>& spans_;
};

}  // namespace

std::unique_ptr<Progress> note_steps(std::unique_ptr<Progress> progress, const Clock& clock,
                                     std::vector<StepSpan>& spans) {
  return std::make_unique<Noting>(std::move(progress), clock, spans);
}

}  // namespace hearth::builder::evidence
