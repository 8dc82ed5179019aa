// An image onto the disk that is meant for it, and what belongs to it: partitions, config drive.
#pragma once

#include <string>

#include "agent/deploy/orders.hpp"

namespace hearth::agent::deploy {

/// Writes a whole disk, or partitions the disk and writes a file system. `info` and `drive` are the order's image_info
/// and configdrive. Returns what was done, in ironic-python-agent's words. Throws Error.
std::string deploy_image(OrderWorld& world, Session& session, const Json& node, const Json& info, const Json& drive);

}  // namespace hearth::agent::deploy
