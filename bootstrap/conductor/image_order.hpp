// What is known of the image that a node is to get, as an agent is told it (ironic-python-agent's image_info).
#pragma once

#include <string>
#include <vector>

#include "bootstrap/node/node.hpp"

namespace hearth::bootstrap {

/// Whether it is one file system, for which the agent makes partitions and installs the boot loader: image_type says so
/// or, as in Ironic, a kernel and a ramdisk belong to it.
[[nodiscard]] bool is_partition_image(const Node& node);

/// What write_image is told of the image.
[[nodiscard]] Json image_info(const Node& node);

/// What is wrong with instance_info, a line each.
[[nodiscard]] std::vector<std::string> image_faults(const Node& node);

}  // namespace hearth::bootstrap
