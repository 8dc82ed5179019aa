// A Progress that keeps what it was told, one text per call: "begin 1/2 NAME", "line TEXT", "end done", "note TEXT",
// "finish TEXT". Ticks are only counted.
#pragma once

#include <string>
#include <vector>

#include "base/progress.hpp"
#include "base/text.hpp"

namespace hearth::fakes {

class RecordingProgress final : public Progress {
 public:
  std::vector<std::string> events;
  std::vector<TimingRow> rows;  ///< one per ended step, in order
  int ticks = 0;

  void step_begin(std::string_view name, std::size_t index, std::size_t total) override {
    name_ = name;
    events.push_back(cat("begin ", index, "/", total, " ", name));
  }
  void line(std::string_view text) override { events.push_back(cat("line ", text)); }
  void tick() override { ++ticks; }
  void step_end(StepOutcome outcome, Duration duration) override {
    events.push_back(cat("end ", word(outcome)));
    rows.push_back({.name = name_, .duration = duration});
  }
  void note(std::string_view text) override { events.push_back(cat("note ", text)); }
  void finish(std::string_view summary) override { events.push_back(cat("finish ", summary)); }

 private:
  static std::string_view word(StepOutcome outcome) {
    switch (outcome) {
      case StepOutcome::done: return "done";
      case StepOutcome::failed: return "failed";
      case StepOutcome::skipped: return "skipped";
      case StepOutcome::cached: return "cached";
    }
    return "?";
  }
  std::string name_;
};

}  // namespace hearth::fakes
