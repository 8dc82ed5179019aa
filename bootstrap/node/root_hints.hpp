// properties/root_device: by what the disk is chosen that an image is written to. A hint that the deploy ramdisk does
// not read is told before any machine is started (agent/deploy/root_device.cpp reads them). Pure.
#pragma once

#include <string>
#include <utility>
#include <vector>

#include "base/json.hpp"

namespace hearth::bootstrap {

/// All that there are.
[[nodiscard]] std::vector<std::string> root_hint_names();
/// What is wrong with the hints: which one, and why; empty key: with all of them.
[[nodiscard]] std::vector<std::pair<std::string, std::string>> root_hint_faults(const Json& hints);
/// The same of a node's properties, a line each: "root_device.sise is no hint …". Nothing where it has none.
[[nodiscard]] std::vector<std::string> root_device_faults(const Json& properties);

}  // namespace hearth::bootstrap
