// What lies beside an image in NAME.d: the packages in it, the elements it was made of, where the time went.
#pragma once

#include "base/progress_text.hpp"
#include "builder/hooks/package_steps.hpp"
#include "builder/run/build.hpp"

namespace hearth::builder {

/// Writes NAME.d/manifest.json (elements, arguments, packages with versions and who asked for them, names of the
/// outputs) and NAME.d/timing.json (seconds per step); of a build whose fetches are recorded or replayed also
/// NAME.d/tree.tsv (evidence/tree_record.hpp).
void write_manifest(const BuildInputs& inputs, const fs::path& root, const std::vector<TimingRow>& timings,
                    const std::vector<AskedPackage>& asked, const std::vector<fs::path>& outputs);

}  // namespace hearth::builder
