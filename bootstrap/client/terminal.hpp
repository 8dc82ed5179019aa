// This terminal and a machine's console as one.
#pragma once

#include <string>

#include "base/path.hpp"
#include "base/sys/fd.hpp"

namespace hearth::bootstrap {

/// A socket in the file system that somebody listens at. Throws Error, with `advice`.
[[nodiscard]] Fd connected_socket(const fs::path& path, const std::string& advice);

/// Carries bytes both ways until Ctrl-] is typed or the other side closes; the terminal is as before afterwards.
void join_terminal(const Fd& machine);

}  // namespace hearth::bootstrap
