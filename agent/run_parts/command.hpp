// dib-run-parts [--list] DIR
#pragma once

#include <string>
#include <vector>

namespace hearth::agent {

/// The dib-run-parts applet; `words` are its arguments. Environment: RUN_PARTS_REGEX, DIB_DEBUG_TRACE.
/// Returns the exit status: 1 for wrong usage, else that of the run.
[[nodiscard]] int dib_run_parts_main(const std::vector<std::string>& words);

}  // namespace hearth::agent
