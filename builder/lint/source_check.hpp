// Files source-repository-NAME of elements, as far as their texts tell: what the element source-repositories would
// refuse once it has bootstrapped.
#pragma once

#include <vector>

#include "base/sys/file.hpp"
#include "base/sys/process.hpp"
#include "builder/elements/closure.hpp"
#include "builder/report/finding.hpp"

namespace hearth::builder {

/// Lines that are no source (errors), and sources without a place to fetch from (warnings; with DIB_REPOLOCATION_NAME
/// in `environment` they have one). What stands behind a variable that may be several words is not judged.
[[nodiscard]] std::vector<Finding> source_faults(const FileReader& files, const Element& element,
                                                 const Environment& environment = {});

}  // namespace hearth::builder
