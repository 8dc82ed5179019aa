// QEMU's monitor: one command over its Unix socket (QMP). The edge of the driver qemu.
#pragma once

#include <optional>

#include "base/clock.hpp"
#include "base/json.hpp"
#include "base/path.hpp"

namespace hearth::bootstrap {

/// The command's "return"; nothing when nobody listens at the socket: that machine is off. Throws Error for a monitor
/// that does not answer in time, or refuses.
[[nodiscard]] std::optional<Json> qmp(const fs::path& socket, const std::string& command, const Json& arguments,
                                      Duration patience, const Clock& clock);

}  // namespace hearth::bootstrap
