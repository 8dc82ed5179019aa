#include "builder/disk/layout/block_config.hpp"

#include <gmock/gmock.h>

#include "base/error.hpp"
#include "base/sys/file.hpp"
#include "base/text.hpp"
#include "source_directory.hpp"

namespace hearth::builder {
namespace {

using testing::ElementsAre;
using testing::HasSubstr;

constexpr const char* k_mbr_head =
    "- local_loop:\n"
    "    name: image0\n"
    "- partitioning:\n"
    "    base: image0\n"
    "    label: mbr\n"
    "    partitions:\n";

DiskLayout parsed(const std::string& text, const LayoutDefaults& defaults = {}) {
  return parse_block_config(text, "test.yaml", defaults).value_or_throw();
}

/// The error of a bad configuration; "no error" when it is taken.
std::string error_of(const std::string& text) {
  const Result<DiskLayout, ParseFaults> result = parse_block_config(text, "test.yaml", {});
  return result ? "no error" : result.error().text();
}

std::string mkfs_error(const std::string& settings) {
  return error_of(cat("- local_loop:\n    name: image0\n- mkfs:\n    name: a\n    base: image0\n", settings));
}

TEST(BlockConfigTest, AllFaultsAreToldAtOnceAndEachOnce) {
  const std::string faults = error_of(
      "- local_loop: {name: image0}\n"
      "- partitioning:\n"
      "    base: image0\n"
      "    label: gpt\n"
      "    partitions:\n"
      "      - {name: esp, size: 8XiB, type: EF00}\n"
      "      - {name: root, size: 1GiB, type: nonsense}\n"
      "      - {name: pv, size: 100%}\n"
      "- lvm:\n"
      "    name: lvm\n"
      "    pvs: [{name: pv0}]\n"
      "    vgs: [{name: vg, base: [pv1]}]\n"
      "    lvs: [{name: lv_root, base: gv, extents: 50%VG}, {name: pv, base: vg, size: 1}]\n"
      "- mkfs: {name: fs_root, base: lv_rot, type: xsf, mount: {mount_point: srv/}}\n"
      "- mkfs: {name: fs_esp, base: esp, type: vfat, lable: x, mount: {mount_point: /boot/efi}}\n");
  const std::vector<std::string> lines = split_lines(faults);
  ASSERT_EQ(lines.size(), 11U) << faults;
  EXPECT_THAT(lines[0], HasSubstr("test.yaml:6:27: [1].partitioning.partitions[0].size: Invalid size unit spec [8XiB]: "
                                  "a number of bytes, or one with KiB, MiB"));
  EXPECT_THAT(lines[1], HasSubstr("7:40: [1].partitioning.partitions[1].type: not a GPT partition type: nonsense"));
  EXPECT_THAT(lines[2], HasSubstr("11:11: [2].lvm.pvs[0]: Missing 'base' in pvs config: the name of a partition"));
  EXPECT_THAT(lines[3],
              HasSubstr("12:28: [2].lvm.vgs[0].base: base:pv1 in vgs does not match a valid pvs, did you mean pv0?"));
  EXPECT_THAT(lines[4],
              HasSubstr("13:33: [2].lvm.lvs[0].base: base:gv in lvs does not match a valid vg, did you mean vg?"));
  EXPECT_THAT(lines[5], HasSubstr("13:61: [2].lvm.lvs[1]: Duplicate node name: pv (the other one is in line 8)"));
  EXPECT_THAT(lines[6], HasSubstr("13:81: [2].lvm.lvs[1].size: less than one extent"));
  EXPECT_THAT(lines[7],
              HasSubstr("14:31: [3].mkfs: Edge not defined: lv_rot->fs_root: nothing is called lv_rot; did you "
                        "mean lv_root?"));
  EXPECT_THAT(lines[8], HasSubstr("[3].mkfs.mount: not an absolute path"));
  EXPECT_THAT(lines[9], HasSubstr("14:45: [3].mkfs.type: unknown file system type xsf, did you mean xfs?"));
  EXPECT_THAT(lines[10], HasSubstr("unknown key 'lable', did you mean 'label'?"));
}

TEST(BlockConfigTest, ALabelOfTheCommandLineThatIsTooLongIsNoFaultOfTheFile) {
  const std::string layout = "- local_loop: {name: image0, mkfs: {name: mkfs_root, mount: {mount_point: /}}}\n";
  EXPECT_EQ(parsed(layout, {.root_label = "sixteen-letters-"}).file_systems[0].label, "sixteen-letters-");
  try {
    (void)parsed(layout, {.root_label = "a-label-longer-than-sixteen"});
    FAIL() << "it was taken";
  } catch (const Error& error) {
    EXPECT_EQ(error.kind(), ErrorKind::usage);
    EXPECT_STREQ(error.what(),
                 "--root-label (ROOT_LABEL): 'a-label-longer-than-sixteen' has 27 bytes; a label of ext4 has "
                 "at most 16");
  }
}

TEST(BlockConfigTest, OfANameThatIsGivenTwiceBothPlacesAreTold) {
  const char* const text =
      "- local_loop: {name: image0}\n"
      "- partitioning: {base: image0, label: gpt, partitions: [{name: pv, size: 100%}]}\n"
      "- lvm:\n"
      "    name: lvm\n"
      "    pvs: [{name: pv, base: pv}]\n"
      "    vgs: [{name: vg, base: [pv]}]\n"
      "    lvs: [{name: lv, base: vg, extents: 100%VG}]\n"
      "- mkfs: {name: root, base: lv, type: ext4, mount: {mount_point: /}}\n";
  EXPECT_EQ(error_of(text), "test.yaml:5:18: [2].lvm.pvs[0]: Duplicate node name: pv (the other one is in line 2)");
}

TEST(BlockConfigTest, TheBuiltInLayoutIsAFileSystemWithoutPartitions) {
  const DiskLayout layout = parsed(std::string(builtin_block_config()));
  EXPECT_EQ(layout.table, PartitionTable::none);
  ASSERT_EQ(layout.file_systems.size(), 1U);
  EXPECT_EQ(layout.file_systems[0].type, "ext4");
  EXPECT_EQ(layout.file_systems[0].label, "cloudimg-rootfs");
  EXPECT_EQ(fstab_text(layout), "LABEL=cloudimg-rootfs / ext4 defaults 0 1\n");
}

/// The user guide's first layout, with something on each disk.
constexpr const char* k_two_disks =
    "- local_loop: {name: image0, mkfs: {name: mkfs_root, mount: {mount_point: /, fstab: {fsck-passno: 1}}}}\n"
    "- local_loop: {name: data_image, size: 7.5GiB, directory: /var/tmp}\n"
    "- partitioning:\n"
    "    base: data_image\n"
    "    label: mbr\n"
    "    partitions:\n"
    "    - {name: data0, size: 33%, mkfs: {type: xfs, mount: {mount_point: /srv, fstab: {options: nodev}}}}\n"
    "    - {name: data1, size: 100%, mkfs: {type: ext4, mount: {mount_point: /srv/deep}}}\n";

TEST(BlockConfigTest, EachDiskHasWhatLiesOnItAndKnowsWhatIsMountedFromTheOthers) {
  const DiskLayout first = assign_ids(parsed(k_two_disks), "seed");
  ASSERT_EQ(first.further.size(), 1U);
  const DiskLayout& second = first.further.front();
  EXPECT_EQ(second.disk, "data_image");
  EXPECT_EQ(second.size, std::uint64_t{15} << 29U);
  EXPECT_EQ(first.file_systems.size(), 1U);
  EXPECT_EQ(second.mounted_at("/srv")->partition, 0U);
  EXPECT_EQ(second.mounted_at("/srv/deep")->partition, 1U);
  EXPECT_THAT(first.mounts_below("/"), ElementsAre("/srv", "/srv/deep"));
  EXPECT_THAT(second.mounts_below("/srv"), ElementsAre("/srv/deep"));
  EXPECT_NE(second.disk_id, first.disk_id);
  EXPECT_EQ(fstab_text(first), cat("UUID=", first.file_systems[0].uuid, " / ext4 defaults 0 1\nUUID=",
                                   second.file_systems[0].uuid, " /srv xfs nodev 0 2\n"));
  require_makeable(first);
}

TEST(BlockConfigTest, TheRootAndVolumesLieOnTheFirstDisk) {
  EXPECT_THAT(error_of("- local_loop: {name: image0}\n"
                       "- local_loop: {name: other, mkfs: {name: mkfs_root, mount: {mount_point: /}}}\n"),
              HasSubstr("/ lies on other, and must on the first, image0"));
  for (const std::string& name : {std::string("a/b"), std::string(), std::string("a\\nb"), std::string(101, 'x')})
    EXPECT_THAT(error_of(cat("- local_loop: {name: image0}\n- local_loop: {name: \"", name, "\"}\n")),
                HasSubstr("is part of its file's"));
  const DiskLayout layout =
      parsed(cat(k_two_disks, "    - {name: data2, size: 100%}\n",
                 "- lvm: {name: lvm, pvs: [{name: pv, base: data2}], vgs: [{name: vg, base: [pv]}], lvs: "
                 "[{name: lv, base: vg, size: 1GiB}]}\n"));
  EXPECT_THAT(layout.beyond_all, ElementsAre(HasSubstr("lvm on another disk than the first (data_image)")));
}

TEST(BlockConfigTest, TheEfiElementGivesThreePartitionsAndTwoMounts) {
  const DiskLayout layout = parsed(read_file(HEARTH_SOURCE_DIR "/elements/block-device-efi/block-device-default.yaml"));
  ASSERT_EQ(layout.partitions.size(), 3U);
  EXPECT_EQ(layout.partitions[0].type, k_esp_type);
  EXPECT_EQ(layout.partitions[1].type, k_bios_boot_type);
  EXPECT_EQ(layout.partitions[2].size, SizeSpec(Percent{100}));
  EXPECT_EQ(layout.mounted_at("/boot/efi")->partition, 0U);
  EXPECT_EQ(layout.mounted_at("/")->partition, 2U);
  EXPECT_TRUE(layout.warnings.empty());
}

TEST(BlockConfigTest, EveryLayoutElementParsesWithoutWarning) {
  for (const char* name : {"mbr", "gpt", "efi"}) {
    const DiskLayout layout =
        parsed(read_file(cat(HEARTH_SOURCE_DIR "/elements/block-device-", name, "/block-device-default.yaml")));
    EXPECT_TRUE(layout.warnings.empty()) << name;
    EXPECT_NO_THROW(require_direct(layout)) << name;
  }
}

TEST(BlockConfigTest, GraphFormMeansTheSameAsTreeForm) {
  const std::string tree = cat(k_mbr_head,
                               "      - name: root\n        size: 100%\n        flags: [boot, primary]\n"
                               "        mkfs:\n          mount:\n            mount_point: /\n            fstab:\n"
                               "              fsck-passno: 1\n");
  const std::string graph =
      cat("- fstab:\n    base: mount_mkfs_root\n    fsck-passno: 1\n"
          "- mount:\n    base: mkfs_root\n    mount_point: /\n"
          "- mkfs:\n    base: root\n",
          k_mbr_head, "      - name: root\n        size: 100%\n        flags: [boot, primary]\n");
  EXPECT_EQ(parsed(tree), parsed(graph));
}

TEST(BlockConfigTest, TheRootNodeTakesWhatItLacksFromTheCommandLine) {
  const LayoutDefaults defaults{.root_type = "ext3", .root_options = "-i 4096 -m 0", .root_label = "my-root"};
  const DiskFileSystem root = *parsed(std::string(builtin_block_config()), defaults).mounted_at("/");
  EXPECT_EQ(root.type, "ext3");
  EXPECT_EQ(root.label, "my-root");
  EXPECT_THAT(root.options, ElementsAre("-i", "4096", "-m", "0"));
}

TEST(BlockConfigTest, ARootOfAnotherTypeDoesNotTakeOptionsMeantForTheUsualOne) {
  const LayoutDefaults defaults{.root_type = "ext4", .root_options = "-J size=64", .other_root_options = "-q"};
  const std::string config =
      replace_all(std::string(builtin_block_config()), "name: mkfs_root", "name: mkfs_root\n      type: btrfs");
  const DiskFileSystem root = *parsed(config, defaults).mounted_at("/");
  EXPECT_EQ(root.type, "btrfs");
  EXPECT_THAT(root.options, ElementsAre("-q"));
}

TEST(BlockConfigTest, AnotherNodeMountedAtRootTakesNothing) {
  EXPECT_THAT(mkfs_error("    mount:\n      mount_point: /\n"), HasSubstr("Mkfs config needs [type]"));
}

TEST(BlockConfigTest, SwapIsListedInFstabButNotMounted) {
  const DiskLayout layout = parsed(cat(k_mbr_head,
                                       "      - name: root\n        size: 50%\n        mkfs:\n          mount:\n"
                                       "            mount_point: /\n            fstab: {fsck-passno: 1}\n"
                                       "      - name: swap\n        size: 50%\n        mkfs:\n          type: swap\n"
                                       "          mount:\n            mount_point: swap\n            fstab: {}\n"));
  EXPECT_EQ(fstab_text(layout), "LABEL=cloudimg-rootfs / ext4 defaults 0 1\nLABEL=mkfs_swap none swap sw 0 0\n");
}

TEST(BlockConfigTest, FileSystemsComeInMountOrder) {
  const DiskLayout layout =
      parsed(cat(k_mbr_head,
                 "      - {name: a, size: 9MiB, mkfs: {type: ext4, mount: {mount_point: /var/log}}}\n"
                 "      - {name: b, size: 9MiB, mkfs: {type: ext4, mount: {mount_point: /var}}}\n"
                 "      - {name: c, size: 9MiB, mkfs: {type: ext4, mount: {mount_point: /}}}\n"));
  std::vector<std::string> points;
  for (const DiskFileSystem& each : layout.file_systems) points.push_back(each.mount_point);
  EXPECT_THAT(points, ElementsAre("/", "/var", "/var/log"));
  EXPECT_THAT(layout.mounts_below("/var"), ElementsAre("/var/log"));
  EXPECT_EQ(layout.holding("/var/lib/x")->mount_point, "/var");
  EXPECT_EQ(layout.holding("/variable")->mount_point, "/");
}

TEST(BlockConfigTest, ErrorsSayLineAndPath) {
  EXPECT_EQ(error_of("- local_loop:\n    name: image0\n- mkfs:\n    base: image0\n    name: a\n"),
            "test.yaml:4:5: [1].mkfs: Mkfs config needs [type]");
}

TEST(BlockConfigTest, TheFileFormIsChecked) {
  EXPECT_THAT(error_of("a: b"), HasSubstr("must be a list"));
  EXPECT_THAT(error_of("- word"), HasSubstr("Config entry not a dict: word"));
  EXPECT_THAT(error_of("- {mkfs: {}, mount: {}}"), HasSubstr("Config entry top-level should be a single dict: "));
  EXPECT_THAT(error_of("- rad: {}"), HasSubstr("Config entry is not a plugin value: rad"));
  EXPECT_THAT(error_of("- local_loop: {}"), HasSubstr("needs 'name'"));
  EXPECT_THAT(error_of("- local_loop: ["), HasSubstr("test.yaml:"));
  EXPECT_THAT(error_of("- local_loop: {name: a, name: b}"), HasSubstr("key given twice: name"));
  EXPECT_THAT(error_of("- &a [*a]"), HasSubstr("nested too deeply"));
  EXPECT_THAT(error_of(""), HasSubstr("must be a list"));
}

TEST(BlockConfigTest, TheGraphIsChecked) {
  EXPECT_THAT(error_of("- local_loop: {name: a}\n- local_loop: {name: a}"), HasSubstr("Duplicate node name: a"));
  EXPECT_THAT(error_of("- local_loop: {name: a}\n- mkfs: {base: b, type: ext4}"),
              HasSubstr("Edge not defined: b->mkfs_b"));
  EXPECT_THAT(error_of("- local_loop: {name: image0}\n- mkfs:\n    type: ext4\n    base: imgae0\n"),
              testing::AllOf(HasSubstr(":4:11: "),
                             HasSubstr("imgae0->mkfs_imgae0: nothing is called imgae0; did you mean image0?")));
  EXPECT_THAT(error_of("- local_loop: {name: a}\n- local_loop: {name: a}"), HasSubstr("in line 1"));
  EXPECT_THAT(error_of("- local_loop: {name: a}\n- mount: {base: a, mount_point: /}"),
              HasSubstr("mount can't be based on a"));
  EXPECT_THAT(error_of("- mkfs: {base: b, type: ext4}"), HasSubstr("there is no local_loop"));
}

TEST(BlockConfigTest, PartitioningIsChecked) {
  const auto error = [](const std::string& settings) {
    return error_of(cat("- local_loop: {name: image0}\n- partitioning: {", settings, "}"));
  };
  EXPECT_THAT(error("label: mbr"), HasSubstr("Partitioning config needs 'base'"));
  EXPECT_THAT(error("base: image0"), HasSubstr("Partitioning config needs 'label'"));
  EXPECT_THAT(error("base: image0, label: dos"), HasSubstr("Label must be 'mbr' or 'gpt'"));
  EXPECT_THAT(error("base: image0, label: gpt"), HasSubstr("Partitioning config needs 'partitions'"));
  EXPECT_THAT(error("base: image0, label: gpt, partitions: [{name: a}]"), HasSubstr("needs 'size'"));
  EXPECT_THAT(error("base: image0, label: gpt, partitions: [{name: a, size: 1GiB, type: '83'}]"),
              HasSubstr("not a GPT partition type: 83 (a code of sgdisk, or a GUID); did you mean 8300?"));
  EXPECT_THAT(error("base: image0, label: gpt, partitions: [{name: a, size: 5q}]"),
              HasSubstr("Invalid size unit spec [5q]"));
  EXPECT_THAT(error("base: image0, label: gpt, partitions: [{name: a, size: 5M, flags: [hot]}]"),
              HasSubstr("Unknown flag: hot"));
  EXPECT_THAT(error("base: image0, label: gpt, partitions: [{name: a, size: 5M, flags: [primary]}]"),
              HasSubstr("Primary flag not supported for GPT partitions"));
  EXPECT_THAT(
      error("base: image0, label: mbr, partitions: [{name: a, size: 5M}, {name: b, size: 5M, flags: [primary]}]"),
      HasSubstr("All primary partitions must be given first"));
}

TEST(BlockConfigTest, AnMbrIsRefusedOnLargeSectors) {
  EXPECT_THAT(error_of("- local_loop: {name: image0, block_size: 4096}\n- partitioning: {base: image0, label: mbr, "
                       "partitions: [{name: a, size: 5M}]}"),
              HasSubstr("sectors of 512 bytes"));
}

TEST(BlockConfigTest, FileSystemsAreChecked) {
  EXPECT_THAT(mkfs_error("    type: ext4\n    label: abcdefghijklmnopq\n"),
              HasSubstr("Label [abcdefghijklmnopq] too long for filesystem [ext4]: 17 > 16"));
  EXPECT_THAT(mkfs_error("    type: vfat\n    label: abcdefghijkl\n"), HasSubstr("[vfat]: 12 > 11"));
  EXPECT_THAT(mkfs_error("    type: ext4\n    uuid: nonsense\n"), HasSubstr("not a UUID: nonsense"));
  EXPECT_THAT(mkfs_error("    type: ext4\n    mount: {}\n"), HasSubstr("MountPoint config needs [mount_point]"));
  EXPECT_THAT(error_of(cat(k_mbr_head, "      - {name: a, size: 5M, mkfs: {type: ext4, label: x}}\n",
                           "      - {name: b, size: 5M, mkfs: {type: ext4, label: x}}\n")),
              HasSubstr("File system label [x] used more than once"));
  EXPECT_THAT(error_of(cat(k_mbr_head, "      - {name: a, size: 5M, mkfs: {type: ext4, mount: {mount_point: /}}}\n",
                           "      - {name: b, size: 5M, mkfs: {type: ext4, mount: {mount_point: /}}}\n")),
              HasSubstr("Mount point [/] specified more than once"));
}

TEST(BlockConfigTest, UnknownKeysAreWarningsWithASuggestion) {
  const DiskLayout layout = parsed(
      "- local_loop:\n    name: image0\n    mkfs:\n      name: mkfs_root\n      mount:\n        mount_point: /\n"
      "        fstab:\n          fck-passno: 1\n");
  EXPECT_THAT(layout.warnings, ElementsAre("test.yaml:8:11: [0].local_loop.mkfs.mount.fstab: unknown key 'fck-passno', "
                                           "did you mean 'fsck-passno'?"));
}

TEST(BlockConfigTest, OverlapsAttributesAndIdsOfPartitionsAreChecked) {
  const std::string head =
      "- local_loop: {name: image0}\n- partitioning:\n    base: image0\n    label: gpt\n    partitions:\n";
  EXPECT_THAT(
      error_of(cat(head, "      - {name: a, start: 1MiB, size: 10MiB}\n      - {name: b, start: 8MiB, size: 1MiB}\n")),
      HasSubstr("partition b begins at 8388608 and overlaps a, which ends at 11534336"));
  EXPECT_THAT(error_of(cat(head, "      - {name: a, size: 101%}\n")), HasSubstr("Invalid size unit spec [101%]"));
  EXPECT_THAT(error_of(cat(head, "      - {name: a, size: 1MiB, attributes: [x]}\n")),
              HasSubstr("[1].partitioning.partitions[0].attributes: unknown attribute: x"));
  EXPECT_THAT(error_of(cat(head, "      - {name: a, size: 1MiB, uuid: x}\n")), HasSubstr("not a UUID: x"));
  EXPECT_THAT(error_of(cat(k_mbr_head, "      - {name: a, size: 1MiB, attributes: [required]}\n")),
              HasSubstr("only a GPT has attributes"));
  const DiskLayout layout = parsed(cat(head,
                                       "      - {name: a, start: 2MiB, size: 1MiB, attributes: [required, read_only, "
                                       "'2'], uuid: 11111111-2222-4333-8444-55555555555a}\n"));
  EXPECT_EQ(layout.partitions[0].attributes, (std::uint64_t{1} << 60U) | 5U);
  EXPECT_EQ(layout.partitions[0].guid, "11111111-2222-4333-8444-55555555555A");
  EXPECT_EQ(layout.partitions[0].start, 2U << 20U);
}

}  // namespace
}  // namespace hearth::builder
