// The checks of the plugins lvm, luks and raid. lvm is the field's; luks and raid are ours, in the same manner:
//   - luks: {name: crypt_root, base: root, image_key_file: /etc/keys/root | key_file: PATH, type: luks2, mkfs: {…}}
//   - raid: {name: md0, base: [a, b], level: 1, metadata: "1.2", mkfs: {…}}
#pragma once

#include <string>
#include <vector>

#include "builder/disk/layout/config_check.hpp"
#include "builder/disk/layout/config_graph.hpp"
#include "builder/disk/layout/layout.hpp"

namespace hearth::builder {

/// Adds the physical volumes, groups and volumes of one lvm plugin; fails with upstream's messages, and where groups or
/// volumes clash with each other or with those of `volumes`. What is at fault is there by its name, without bases.
void check_lvm(const Settings& settings, Volumes& volumes, std::vector<std::string>& warnings, ConfigFaults& faults);
[[nodiscard]] LuksVolume check_luks(const ConfigNode& node);
[[nodiscard]] RaidArray check_raid(const ConfigNode& node);

}  // namespace hearth::builder
