// Whether a file is another one than it was.
#pragma once

#include <string>

#include "base/path.hpp"

namespace hearth {

/// Another text whenever the file is another or was written; empty where there is none.
[[nodiscard]] std::string file_state(const fs::path& path);

/// Another text whenever another file or directory stands at the path; empty where there is none.
[[nodiscard]] std::string file_identity(const fs::path& path);

}  // namespace hearth
