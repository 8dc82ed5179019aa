// What to do where the system gives this process no more.
#pragma once

namespace hearth {

inline constexpr const char* k_limits_hint =
    "Its limits (ulimit -d, -v, -u, the control group's) are too low for this, or the machine's memory is full.";

}  // namespace hearth
