// Whether there is anything to do: NAME.d/output.json says of what the outputs were made and how they looked; while
// both are as they were, and the package repositories too, building again would give the same.
#pragma once

#include <string>
#include <vector>

#include "builder/layers/layer_record.hpp"
#include "builder/run/hook_environment.hpp"
#include "builder/spec/image_request.hpp"
#include "builder/store/repository_states.hpp"

namespace hearth::builder {

/// A digest over all that a build is made of but repositories: command line, environment, files that it names, the
/// elements' files, Hearth itself. It lies beside the image and is made of secrets, too: so it is keyed.
[[nodiscard]] std::string output_key(const ImageRequest& request, const BuildPlan& plan,
                                     const Installation& installation, const FactKey& secrets);

/// Notes what was made. `steps` tell the repositories.
void note_outputs(const fs::path& directory, const std::string& key, const std::vector<fs::path>& outputs,
                  const std::vector<StepRecord>& steps);

/// The outputs noted in `directory` when they are still what a build would make; else none.
[[nodiscard]] std::vector<fs::path> unchanged_outputs(const fs::path& directory, const std::string& key,
                                                      RepositoryStates& repositories, const FactKey& secrets);

}  // namespace hearth::builder
