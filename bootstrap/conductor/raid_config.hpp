// A node's target_raid_config: what it may say, in Ironic's words where it says something else. As Ironic's
// raid_config_schema.json and common/raid.py have it. Pure.
#pragma once

#include <string>

#include "base/json.hpp"

namespace hearth::bootstrap {

/// What is wrong with it; empty when nothing is.
[[nodiscard]] std::string raid_config_fault(const Json& config);

/// What a logical disk may say: key → its meaning, as Ironic's /v1/drivers/NAME/raid/logical_disk_properties tells it.
[[nodiscard]] Json logical_disk_properties();

/// Its logical disks without those that are not asked for.
[[nodiscard]] Json wanted_disks(const Json& config, bool root, bool others);

}  // namespace hearth::bootstrap
