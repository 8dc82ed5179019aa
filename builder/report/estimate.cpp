#include "builder/report/estimate.hpp"

#include <cmath>

#include "base/text.hpp"

namespace hearth::builder {

namespace {

constexpr double k_worth_telling = 5;  // seconds

void take_times(const Json& list, std::map<std::string, double>& times) {
  if (!list.is_array()) return;
  for (const Json& step : list) {
    if (!step.is_object() || !step.contains("step") || !step.contains("seconds")) continue;
    const Json& name = step.at("step");
    const Json& seconds = step.at("seconds");
    if (name.is_string() && seconds.is_number()) times[name.get<std::string>()] = seconds.get<double>();
  }
}

/// Of the builder itself (disk, outputs), rather than a hook of a phase.
bool is_native(const std::string& name) { return name.find(".d/") == std::string::npos; }

class Estimated final : public Progress {
 public:
  Estimated(std::unique_ptr<Progress> progress, std::map<std::string, double> times,
            const std::vector<std::string>& planned)
      : progress_(std::move(progress)) {
    for (const auto& [name, seconds] : times) {
      if (is_native(name)) left_[name] = seconds;
    }
    for (const std::string& name : planned) {
      if (const auto known = times.find(name); known != times.end()) left_[name] = known->second;
    }
  }

  void step_begin(std::string_view name, std::size_t index, std::size_t total) override {
    progress_->step_begin(name, index, total);
    now_ = name;
    told_ = false;
  }
  void line(std::string_view text) override {
    tell();
    const std::uint64_t bytes = counted_ ? 0 : fetched_by(text);
    if (bytes > 0) progress_->fetched(fetched_ += bytes);
    progress_->line(text);
  }
  void tick() override {
    tell();
    progress_->tick();
  }
  void step_end(StepOutcome outcome, Duration duration) override {
    left_.erase(now_);
    told_ = true;
    progress_->step_end(outcome, duration);
  }
  /// Somebody sees the bytes themselves: what apt says of them is not counted again.
  void fetched(std::uint64_t bytes) override {
    counted_ = true;
    progress_->fetched(bytes);
  }
  void note(std::string_view text) override { progress_->note(text); }
  void finish(std::string_view summary) override { progress_->finish(summary); }

 private:
  /// Once a step, when it does run: many are over at once, since they come from layers.
  void tell() {
    if (told_) return;
    told_ = true;
    double seconds = 0;
    for (const auto& [name, took] : left_) seconds += took;
    if (left_.empty()) return;
    progress_->expect(duration_of(seconds));
    if (announced_ || seconds < k_worth_telling) return;
    announced_ = true;
    progress_->note(cat("about ", rough_text(duration_of(seconds)), " to go, by the last build's times"));
  }

  std::unique_ptr<Progress> progress_;
  std::map<std::string, double> left_;
  std::string now_;
  bool told_ = true;
  bool announced_ = false;
  std::uint64_t fetched_ = 0;
  bool counted_ = false;
};

}  // namespace

std::map<std::string, double> last_times(const Json& steps, const Json& timing) {
  std::map<std::string, double> times;
  if (steps.is_object() && steps.contains("steps")) take_times(steps.at("steps"), times);
  take_times(timing, times);
  return times;
}

std::uint64_t fetched_by(std::string_view line) {
  static constexpr std::string_view k_get = "Get:";
  if (line.substr(0, k_get.size()) != k_get || line.empty() || line.back() != ']') return 0;
  const std::size_t open = line.rfind('[');
  if (open == std::string_view::npos) return 0;
  const std::vector<std::string> words = split_words(std::string(line.substr(open + 1, line.size() - open - 2)));
  static const std::map<std::string, double> units = {{"B", 1}, {"kB", 1e3}, {"MB", 1e6}, {"GB", 1e9}};
  const auto unit = words.size() == 2 ? units.find(words[1]) : units.end();
  if (unit == units.end()) return 0;
  double value = 0;
  double scale = 1;
  for (const char c : words[0]) {
    if (c == '.') {
      scale = 0.1;
    } else if (c >= '0' && c <= '9') {
      value = scale == 1 ? value * 10 + (c - '0') : value + scale * (c - '0');
      if (scale < 1) scale /= 10;
    } else if (c != ',') {
      return 0;
    }
  }
  return static_cast<std::uint64_t>(std::round(value * unit->second));
}

std::unique_ptr<Progress> estimate(std::unique_ptr<Progress> progress, std::map<std::string, double> times,
                                   const std::vector<std::string>& planned) {
  return std::make_unique<Estimated>(std::move(progress), std::move(times), planned);
}

}  // namespace hearth::builder
