// Which drives become which volumes: logical disks of a target_raid_config laid over a machine's drives, by the rules
// of Ironic's redfish RAID interface. Pure.
#pragma once

#include <string>
#include <vector>

#include "base/json.hpp"
#include "bootstrap/power/bmc_work.hpp"

namespace hearth::bootstrap {

struct PlannedVolume {
  VolumeWish wish;
  bool root = false;
};

struct RaidPlan {
  std::vector<PlannedVolume> volumes;
  std::string fault;  ///< in Ironic's words; then there are none
};

/// `disks` have passed raid_config_fault(). Drives that are in a volume already are no one's to take.
[[nodiscard]] RaidPlan plan_raid(const Json& disks, const RaidHardware& hardware);

/// "RAID1" → "1"; empty for a type of which no level is known.
[[nodiscard]] std::string raid_level_of(const std::string& type);

}  // namespace hearth::bootstrap
