// What a PhaseRunner tells while it works to whoever keeps results of steps.
#pragma once

#include <vector>

#include "base/clock.hpp"
#include "base/sys/process.hpp"
#include "builder/plan/build_plan.hpp"

namespace hearth::builder {

class StepObserver {
 public:
  virtual ~StepObserver() = default;
  virtual void phase_begins(Phase phase) = 0;
  virtual void step_begins(const Step& step) = 0;
  /// `rest` are the steps of the phase that are still to run. Returns whether keep() is wanted.
  [[nodiscard]] virtual bool step_ended(const Step& step, Duration took, const std::vector<Step>& rest) = 0;
  /// The state may be kept now: nothing runs, and nothing of the runner's own is mounted in the target.
  virtual void keep(const std::vector<Step>& rest) = 0;
};

}  // namespace hearth::builder
