// Whether there is anything to do: NAME.d/output.json says of what the outputs were made, step by step, and how they
// looked; while both are as they were, building again would give the same.
#pragma once

#include <string>
#include <vector>

#include "builder/hooks/hook_environment.hpp"
#include "builder/layers/fact_source.hpp"
#include "builder/layers/layer_record.hpp"
#include "builder/spec/image_request.hpp"

namespace hearth::builder {

/// Whether a build of this request looks first if there is anything to do.
[[nodiscard]] bool may_be_unchanged(const ImageRequest& request);

/// A digest over what no step's facts tell: command line, settings and the files that they name, the plan, the
/// elements' files, Hearth itself. `files` are those that the disk layout names. It lies beside the image and is made
/// of secrets, too: so it is keyed.
[[nodiscard]] std::string output_key(const ImageRequest& request, const BuildPlan& plan,
                                     const Installation& installation, const FactSource& facts,
                                     const std::vector<fs::path>& files, const FactKey& secrets);

/// Notes what was made, and by which facts. Of planned steps that are not among `steps` (they run when the disk is
/// filled) what the plan tells. What an earlier build told of where they come from goes away.
void note_outputs(const fs::path& directory, const std::string& key, const std::vector<fs::path>& outputs,
                  const std::vector<StepRecord>& steps, const BuildPlan& plan, const FactSource& facts,
                  const FactKey& secrets);

/// Elements of which a file is another than when the outputs noted in `directory` were made: a README, too, which no
/// step reads. None where nothing is noted.
[[nodiscard]] std::vector<std::string> changed_elements(const fs::path& directory, const FactSource& facts);

/// The outputs noted in `directory` when they are still what a build would make: all facts of all steps hold, as they
/// have to for a layer, and the records that only a build can make, this one too, are as they were made. Else none.
[[nodiscard]] std::vector<fs::path> unchanged_outputs(const fs::path& directory, const std::string& key,
                                                      const FactSource& facts, const RemoteFacts& remote,
                                                      const FactKey& secrets);

/// Notes beside the outputs what the evidence in `directory` is now, under the store's key: an edited one may be as
/// valid as the builder's own.
void note_evidence(const fs::path& directory, const FactKey& secrets);

/// Why the evidence of `stem`, whose outputs are `outputs`, is not what the builder made. None where there is nothing
/// to do about it: a signature that was taken away is made by the next build that has the key.
[[nodiscard]] std::vector<std::string> changed_evidence(const fs::path& stem, const std::vector<fs::path>& outputs,
                                                        const FactKey& secrets);

}  // namespace hearth::builder
