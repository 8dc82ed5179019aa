#include "builder/disk/layout/volume_sizes.hpp"

#include <gmock/gmock.h>

#include "base/error.hpp"
#include "tests/unit/builder/disk/layout/volume_layouts.hpp"

namespace hearth::builder {
namespace {

using testing::HasSubstr;

constexpr std::uint64_t k_volume_sizes_mib = 1024 * 1024;

std::string volume_sizes_error_of(const DiskLayout& layout, std::uint64_t bytes) {
  try {
    (void)place(layout, bytes);
    return "no error";
  } catch (const Error& error) {
    return error.what();
  }
}

DiskLayout raid(const std::string& settings, std::size_t members) {
  std::string partitions;
  std::string names;
  for (std::size_t i = 0; i < members; ++i) {
    partitions += cat("      - {name: m", i, ", size: 100MiB}\n");
    names += cat(i == 0 ? "" : ", ", "m", i);
  }
  return parse_block_config(
             with_partitions(partitions, cat("- raid: {name: md0, base: [", names, "], ", settings, "}\n")), "t", {})
      .value_or_throw();
}

TEST(VolumeSizesTest, HeadersAndExtentsAreTakenOff) {
  const Placement placement = place(layout_with_all_volumes(), 1024 * k_volume_sizes_mib);
  EXPECT_EQ(placement.volumes.at("md0"), 99 * k_volume_sizes_mib);
  EXPECT_EQ(placement.volumes.at("safe"), (1024 - 2 - 64 - 200 - 300 - 16) * k_volume_sizes_mib);
  EXPECT_EQ(placement.extents.at("vg/lv_root"), 74U / 2);  // (300 - 1) / 4 extents in all
  EXPECT_EQ(placement.volumes.at("lv_root"), 37 * 4 * k_volume_sizes_mib);
  EXPECT_EQ(placement.volumes.at("thin"), 200 * k_volume_sizes_mib) << "a thin volume may be larger than its group";
}

TEST(VolumeSizesTest, EachRaidLevelHasItsSize) {
  const auto size = [](const std::string& level, std::size_t members) {
    return place(raid(cat("level: ", level), members), 1024 * k_volume_sizes_mib).volumes.at("md0") /
           k_volume_sizes_mib;
  };
  EXPECT_EQ(size("0", 2), 198U);
  EXPECT_EQ(size("1", 3), 99U);
  EXPECT_EQ(size("5", 3), 198U);
  EXPECT_EQ(size("6", 4), 198U);
  EXPECT_EQ(size("10", 4), 198U);
}

TEST(VolumeSizesTest, WhatDoesNotFitIsRefusedWithNumbers) {
  const std::string partition = "      - {name: p, size: 100%}\n";
  const auto group = [&](const std::string& lvs) {
    return parse_block_config(
               with_partitions(partition, cat("- lvm: {name: l, pvs: [{name: pv, base: p}], vgs: [{name: vg, "
                                              "base: pv}], lvs: [",
                                              lvs, "]}\n")),
               "t", {})
        .value_or_throw();
  };
  EXPECT_THAT(volume_sizes_error_of(group("{name: a, base: vg, size: 1GiB}"), 512 * k_volume_sizes_mib),
              HasSubstr("the volume group vg can't hold its volume a: 1.0 GiB wanted"));
  EXPECT_THAT(volume_sizes_error_of(group("{name: a, base: vg, extents: 50%VG}, {name: b, base: vg, size: 300MiB}"),
                                    512 * k_volume_sizes_mib),
              HasSubstr("can't hold its volume b"));
  EXPECT_EQ(volume_sizes_error_of(
                group("{name: a, base: vg, extents: 23%VG}, {name: b, base: vg, extents: 57%VG}, {name: c, base: "
                      "vg, extents: 20%VG}"),
                512 * k_volume_sizes_mib),
            "no error");
  EXPECT_EQ(
      volume_sizes_error_of(group("{name: a, base: vg, type: thin-pool, extents: 100%FREE}"), 512 * k_volume_sizes_mib),
      "no error")
      << "a pool of all that is free leaves room for its own metadata";
  const DiskLayout tiny =
      parse_block_config(
          with_partitions("      - {name: p, size: 8MiB}\n", "- luks: {name: c, base: p, key_file: k}\n"), "t", {})
          .value_or_throw();
  EXPECT_THAT(volume_sizes_error_of(tiny, 64 * k_volume_sizes_mib), HasSubstr("the volume c has no room"));
}

}  // namespace
}  // namespace hearth::builder
