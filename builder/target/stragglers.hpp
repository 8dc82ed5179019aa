// Processes that a hook left running. Inside the sandbox's pid namespace everything but process 1 is the hook's, so
// what is still there when the hook has ended is noted and killed: it would keep files of the image open.
#pragma once

#include <string>
#include <vector>

namespace hearth::builder {

/// Kills all processes but this one in the calling process's pid namespace, reaps them, and returns their names. To be
/// called by process 1 of a pid namespace only, with no child of its own running; elsewhere it does nothing.
std::vector<std::string> kill_stragglers();

}  // namespace hearth::builder
