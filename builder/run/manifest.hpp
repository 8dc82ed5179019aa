// What lies beside an image in NAME.d: the packages in it, the elements it was made of, where the time went.
#pragma once

#include "base/progress_text.hpp"
#include "builder/run/build.hpp"

namespace hearth::builder {

/// Writes NAME.d/manifest.json (elements, arguments, packages with versions) and NAME.d/timing.json (seconds per step).
void write_manifest(const BuildInputs& inputs, const fs::path& root, const std::vector<TimingRow>& timings);

}  // namespace hearth::builder
