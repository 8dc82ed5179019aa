// Layouts with volumes, for the tests of what handles them.
#pragma once

#include <string>

#include "base/text.hpp"
#include "builder/disk/layout/block_config.hpp"

namespace hearth::builder {

/// One disk with partitions `partitions` (YAML flow maps, one a line with its dash), and `rest` behind them.
inline std::string with_partitions(const std::string& partitions, const std::string& rest) {
  return cat("- local_loop: {name: image0}\n- partitioning:\n    base: image0\n    label: gpt\n    partitions:\n",
             partitions, rest);
}

inline constexpr const char* k_five_partitions =
    "      - {name: boot, size: 64MiB, mkfs: {type: ext4, label: boot, mount: {mount_point: /boot}}}\n"
    "      - {name: a, size: 100MiB}\n"
    "      - {name: b, size: 100MiB}\n"
    "      - {name: pvp, size: 300MiB}\n"
    "      - {name: secret, size: 100%}\n";

inline constexpr const char* k_all_volumes =
    "- raid: {name: md0, base: [a, b], mkfs: {type: ext4, label: srv, mount: {mount_point: /srv}}}\n"
    "- luks: {name: safe, base: secret, image_key_file: /etc/key, mkfs: {type: ext4, label: home, mount: {mount_point: "
    "/home}}}\n"
    "- lvm:\n"
    "    name: lvm\n"
    "    pvs: [{name: pv, base: pvp, options: [--force]}]\n"
    "    vgs: [{name: vg, base: [pv]}]\n"
    "    lvs:\n"
    "      - {name: lv_root, base: vg, extents: 50%VG}\n"
    "      - {name: pool, base: vg, type: thin-pool, size: 40MiB}\n"
    "      - {name: thin, base: vg, type: thin, thin-pool: pool, size: 200MiB}\n"
    "- mkfs: {name: fs_root, base: lv_root, type: xfs, label: root, mount: {mount_point: /, fstab: {}}}\n"
    "- mkfs: {name: fs_var, base: thin, type: ext4, mount: {mount_point: /var, fstab: {}}}\n";

inline DiskLayout layout_with_all_volumes() {
  const std::string text = with_partitions(k_five_partitions, k_all_volumes);
  return assign_ids(parse_block_config(text, "test", {}).value_or_throw(), "seed");
}

}  // namespace hearth::builder
