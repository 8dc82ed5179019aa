// All power drivers of this program.
#pragma once

#include "base/path.hpp"
#include "bootstrap/power/driver.hpp"

namespace hearth::bootstrap {

/// `directory`: where drivers keep what must outlive the process (QEMU's sockets).
[[nodiscard]] Drivers all_drivers(const fs::path& directory);

}  // namespace hearth::bootstrap
