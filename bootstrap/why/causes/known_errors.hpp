// What stands behind an error's text: of a BMC, of an image, of a disk. The texts are those of our own drivers,
// conductor and deploy agent, of the programs that they call (ipmitool, libvirt), and of Ironic's own ramdisk. Pure.
#pragma once

#include <optional>
#include <string>

#include "bootstrap/why/causes/finding.hpp"

namespace hearth::bootstrap::why {

/// The cause and what to do, with the text itself as evidence; nullopt where the text is not known. `node` is the name
/// that commands call it by, `driver` the one that it has: keys of driver_info begin with it.
[[nodiscard]] std::optional<Finding> known_error(const std::string& text, const std::string& node,
                                                 const std::string& driver);

}  // namespace hearth::bootstrap::why
