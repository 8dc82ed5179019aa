#include "builder/disk/layout/volume_check.hpp"

#include <gmock/gmock.h>

#include <utility>

#include "base/error.hpp"
#include "tests/unit/builder/disk/layout/volume_layouts.hpp"

namespace hearth::builder {
namespace {

using testing::HasSubstr;

constexpr const char* k_two = "      - {name: p, size: 1GiB}\n      - {name: q, size: 1GiB}\n";

/// What is wrong with these items behind two partitions p and q; "no error" when nothing is.
std::string volume_check_error_of(const std::string& rest) {
  const Result<DiskLayout, ParseFaults> result = parse_block_config(with_partitions(k_two, rest), "test.yaml", {});
  return result ? "no error" : result.error().text();
}

std::string lvm(const std::string& pvs, const std::string& vgs, const std::string& lvs) {
  return cat("- lvm:\n    name: lvm\n    pvs: [", pvs, "]\n    vgs: [", vgs, "]\n    lvs: [", lvs, "]\n");
}

TEST(VolumeCheckTest, EveryMistakeIsNamedWithItsPlace) {
  const std::string pv = "{name: pv, base: p}";
  const std::string vg = "{name: vg, base: [pv]}";
  const std::vector<std::pair<std::string, std::string>> cases = {
      {lvm(pv, vg, "{name: lv, base: other, size: 1G}"),
       "[2].lvm.lvs[0].base: base:other in lvs does not match a valid vg"},
      {lvm(pv, vg, "{name: lv, base: vg}"), "Missing 'size' or 'extents' in lvs config"},
      {lvm(pv, vg, "{base: vg, size: 1G}"), "Missing 'name' in lvs config"},
      {lvm(pv, vg, "{name: lv, base: vg, size: 1X}"), "[2].lvm.lvs[0].size: Invalid size unit spec [1X]"},
      {lvm(pv, vg, "{name: lv, base: vg, extents: 120%VG}"), "not a share between 0% and 100%: 120%VG"},
      {lvm(pv, vg, "{name: lv, base: vg, extents: 10%XX}"), "a share must be of VG, FREE or PVS"},
      {lvm(pv, vg, "{name: a, base: vg, extents: 60%VG}, {name: b, base: vg, extents: 50%VG}"),
       "the volumes of vg ask for 110 % of it"},
      {lvm(pv, vg, "{name: lv, base: vg, size: 1G, type: mirror}"),
       "Unsupported type:mirror, supported types: thin, thin-pool"},
      {lvm(pv, vg, "{name: lv, base: vg, size: 1G, type: thin}"), "a thin volume needs 'thin-pool'"},
      {lvm(pv, vg, "{name: lv, base: vg, size: 1G, type: thin, thin-pool: x}"), "there is no thin pool x in vg before"},
      {lvm(pv, "{name: vg, base: pv, options: {a: 1}}", ""), "vgs[0].options: must be a list, or words in plain text"},
      {lvm(pv, "{name: vg, base: [x]}", ""), "base:x in vgs does not match a valid pvs"},
      {lvm(pv, cat(vg, ", {name: vg, base: [pv]}"), ""), "there are two volume groups named vg"},
      {lvm(pv, cat(vg, ", {name: wg, base: [pv]}"), ""), "physical volume pv is in volume group vg already"},
      {lvm(cat(pv, ", {name: pw, base: p}"), vg, ""), "p is a physical volume already"},
      {lvm("{name: pv, base: nowhere}", vg, ""), "Edge not defined: nowhere->lvm"},
      {lvm(pv, "{name: p, base: [pv]}", ""), "Duplicate node name: p"},
      {lvm(pv, "{name: 'v g', base: [pv]}", ""), "not a name that LVM takes: v g"},
      {"- lvm: {name: lvm, vgs: [], lvs: []}\n", "Lvm config requires a 'pvs'"},
      {"- luks: {name: c, base: p}\n", "[2].luks: needs a key: either 'key_file'"},
      {"- luks: {name: c, base: p, key_file: k, image_key_file: /k}\n", "needs a key: either"},
      {"- luks: {name: c, base: p, image_key_file: k}\n", "must be an absolute path in the image"},
      {"- luks: {name: c, base: p, key_file: k, type: plain}\n", "must be luks1 or luks2"},
      {"- luks: {name: c, base: x, key_file: k}\n", "Edge not defined: x->c"},
      {"- luks: {name: c, base: c, key_file: k}\n", "luks can't be based on c"},
      {"- luks: {name: c, base: d, key_file: k}\n- luks: {name: d, base: c, key_file: k}\n", "lies on itself"},
      {"- luks: {name: c, base: p, key_file: k}\n- luks: {name: d, base: p, key_file: k}\n", "p is in use already"},
      {"- raid: {base: [p, q]}\n", "Raid config requires 'name'"},
      {"- raid: {name: m, base: [p]}\n", "level 1 needs at least 2 members"},
      {"- raid: {name: m, base: [p, p]}\n", "a member is named twice"},
      {"- raid: {name: m, base: [p, q], level: 7}\n", "must be 0, 1, 4, 5, 6 or 10"},
      {"- raid: {name: m, base: [p, q], level: 5}\n", "level 5 needs at least 3 members"},
      {"- raid: {name: m, base: [p, q], metadata: '0.9'}\n", "must be 1.0 or 1.2"},
      {cat("- raid: {name: m, base: [p, q]}\n", "- mkfs: {base: p, name: f, type: ext4}\n"),
       "p holds two file systems"},
      {cat(lvm(pv, vg, ""), "- mkfs: {base: vg, name: f, type: ext4}\n"), "mkfs can't be based on vg"},
  };
  for (const auto& [text, expected] : cases) EXPECT_THAT(volume_check_error_of(text), HasSubstr(expected)) << text;
}

TEST(VolumeCheckTest, ThePlaceOfAMistakeHasLineAndColumn) {
  EXPECT_THAT(volume_check_error_of("- luks: {name: c, base: p, key_file: k, type: plain}\n"),
              HasSubstr("test.yaml:8:47: [2].luks.type"));
}

TEST(VolumeCheckTest, VolumesMayLieOnEachOtherAndCarryNestedFileSystems) {
  const std::string text =
      cat("- luks: {name: c, base: p, key_file: k}\n",
          lvm("{name: pv, base: c}", "{name: vg, base: pv}", "{name: lv, base: vg, extents: 100%FREE}"),
          "- luks: {name: d, base: lv, key_file: k, mkfs: {type: ext4, mount: {mount_point: /}}}\n");
  const DiskLayout layout = parse_block_config(with_partitions(k_two, text), "t", {}).value_or_throw();
  EXPECT_EQ(layout.mounted_at("/")->volume, "d");
  EXPECT_EQ(layout.mounted_at("/")->partition, std::nullopt);
  EXPECT_EQ(bases_below(layout.volumes, "d"), std::vector<std::string>{"lv"});
  EXPECT_EQ(bases_below(layout.volumes, "lv"), std::vector<std::string>{"c"});
  EXPECT_EQ(layout.beyond_direct.size(), 3U);
}

TEST(VolumeCheckTest, UpstreamsLvmLayoutIsTaken) {
  const DiskLayout layout = layout_with_all_volumes();
  EXPECT_EQ(layout.volumes.logical[1].kind, LogicalVolume::Kind::thin_pool);
  EXPECT_EQ(layout.volumes.physical[0].options, std::vector<std::string>{"--force"});
  EXPECT_EQ(crypttab_text(layout), cat("safe UUID=", layout.volumes.encrypted[0].uuid, " /etc/key luks\n"));
  EXPECT_THAT(mdadm_text(layout), HasSubstr("ARRAY /dev/md/md0 metadata=1.2 UUID="));
  EXPECT_EQ(layout.volumes.physical[0].uuid.size(), 38U);
}

}  // namespace
}  // namespace hearth::builder
