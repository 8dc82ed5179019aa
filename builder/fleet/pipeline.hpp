// `hearth image pipeline`: the graph of a file's images as jobs of an engine that runs such. First what several images
// have in common, once each; then the images; then their tests and what is published. Who runs them, when and where is
// the engine's business. A job that is run again finds in layers what it did before. Pure.
#pragma once

#include <cstddef>
#include <string>
#include <vector>

#include "base/path.hpp"
#include "builder/fleet/fleet.hpp"
#include "builder/fleet/step_graph.hpp"

namespace hearth::builder {

struct PipelineSetup {
  std::vector<std::string> files;    ///< that describe the images, as jobs name them
  std::vector<std::string> options;  ///< of `hearth image create`, for all
  fs::path directory;                ///< where jobs run: outputs are named from there
  std::string container;             ///< the container image that jobs run in; empty = none
  std::string runner;                ///< a tag or label of those that may run them; empty = the engine's default
  std::string elements_path;         ///< ELEMENTS_PATH, which jobs need as well; empty = it is not set
};

struct PipelineJob {
  enum class Stage { shared, image, test, publish };
  Stage stage = Stage::image;
  std::string name;                   ///< of a-z, 0-9 and '-': "image-web"
  std::string about;                  ///< for people: an image's name, or a step and a name
  std::size_t image = 0;              ///< whose
  std::vector<std::string> commands;  ///< lines for sh, with no text in them that an engine would take for its own
  std::vector<std::size_t> needs;     ///< jobs before it that must have succeeded
  std::vector<std::string> files;     ///< what it leaves for later jobs and for people
  std::string report;                 ///< JUnit's XML that it writes; empty = none
  [[nodiscard]] const char* stage_name() const;
};

/// Each job behind those that it needs. Throws Error(input), with the image's place, for names that no job can hold,
/// and for tests or publishing of what is no disk.
[[nodiscard]] std::vector<PipelineJob> pipeline_jobs(const std::vector<FleetImage>& images, const StepGraph& graph,
                                                     const PipelineSetup& setup);

/// "make", "slurm"…
[[nodiscard]] std::vector<std::string> pipeline_engines();

/// "make", "Slurm"…, as people write them.
[[nodiscard]] std::vector<std::string> pipeline_engine_titles();

/// What the engine reads. Throws Error: usage for an engine that there is not, with the nearest one, and for settings
/// that it lacks or has no use for; input for files that it can't carry from job to job.
[[nodiscard]] std::string pipeline_text(const std::string& engine, const std::vector<PipelineJob>& jobs,
                                        const PipelineSetup& setup);

}  // namespace hearth::builder
