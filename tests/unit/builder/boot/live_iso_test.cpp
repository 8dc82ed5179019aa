// The peer is xorriso, which reads back what it wrote; e2e.formats starts an ISO.
#include "builder/boot/live_iso.hpp"

#include <gmock/gmock.h>

#include "base/text.hpp"

namespace hearth::builder {
namespace {

using testing::HasSubstr;

TEST(LiveIsoTest, TheImageIsForCdAndStickAndBothFirmwares) {
  const fs::path tree = "/tree";
  const DiskLayout layout;
  const LiveIso iso{.tree = tree,
                    .layout = layout,
                    .boot = {.grub_files = "/grub", .epoch = 1'600'000'000},
                    .title = "x",
                    .scratch = "/s"};
  const std::string text = join(iso_argv(iso, "/staging", "/efi.img", "aaaa-bbbb", "/out"), " ");
  EXPECT_THAT(text, HasSubstr("--modification-date=2020091312264000 --gpt_disk_guid aaaabbbb "));
  EXPECT_THAT(text, HasSubstr("-b boot/grub/bios.img -no-emul-boot"));
  EXPECT_THAT(text, HasSubstr("--grub2-mbr /grub/i386-pc/boot_hybrid.img"));
  EXPECT_THAT(text,
              HasSubstr("-append_partition 2 C12A7328-F81F-11D2-BA4B-00A0C93EC93B /efi.img -appended_part_as_gpt"));
  EXPECT_THAT(text, HasSubstr("-o /out /staging"));
}

}  // namespace
}  // namespace hearth::builder
