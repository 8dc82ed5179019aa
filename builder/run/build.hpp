// The build itself, inside the sandbox: from the plan to the output files. build() reads as the table of contents of an
// image build; everything it does is in the rooms beside this one.
#pragma once

#include "builder/cache/layer_keeper.hpp"
#include "builder/hooks/hook_environment.hpp"
#include "builder/hooks/package_steps.hpp"
#include "builder/hooks/phase_runner.hpp"
#include "builder/plan/build_plan.hpp"
#include "builder/plan/disk_plan.hpp"
#include "builder/report/build_log.hpp"
#include "builder/spec/image_request.hpp"

namespace hearth::builder::fetch {
class FetchSession;
}
namespace hearth::builder::evidence {
struct StepSpan;
}

namespace hearth::builder {

class BuilderPlaces;

/// All that a build needs; everything is decided and checked before.
struct BuildInputs {
  const ImageRequest& request;
  const BuildPlan& plan;
  const Installation& installation;
  const DiskPlan& disk;
  CommandRunner& runner;
  Progress& progress;
  BuildLog& log;
  const Clock& clock;
  FactSource& facts;
  fetch::FetchSession* network = nullptr;                  ///< of a build whose fetches are recorded or replayed
  const std::vector<evidence::StepSpan>* spans = nullptr;  ///< of such a build: when its steps began, as they begin
  StepWatch* watch = nullptr;                              ///< of a build that keeps layers
  LayerPolicy layers = {};
  fs::path layer_store = {};                ///< hooks can't reach it
  const BuilderPlaces* places = nullptr;    ///< where the outputs' directory really is
  std::string output_key = {};              ///< noted with the outputs; empty = not
  FactKey secrets = {};                     ///< of the notes
  std::function<void()> check_inputs = {};  ///< to be called when the hooks are copied, and none has run
};

/// Runs the build. To be called inside the sandbox. Output files appear at the very end, or not at all.
void build(const BuildInputs& inputs);

}  // namespace hearth::builder
