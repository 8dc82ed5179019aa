// This terminal and a machine's console as one.
#pragma once

#include "base/sys/fd.hpp"

namespace hearth::bootstrap {

/// Carries bytes both ways until Ctrl-] is typed or the other side closes; the terminal is as before afterwards.
void join_terminal(const Fd& machine);

}  // namespace hearth::bootstrap
