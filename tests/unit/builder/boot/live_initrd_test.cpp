// The peer is cpio, by way of bsdtar where cpio is not there.
#include "builder/boot/live_initrd.hpp"

#include <gmock/gmock.h>

#include "base/error.hpp"
#include "base/sys/file.hpp"
#include "base/sys/process.hpp"
#include "base/text.hpp"

namespace hearth::builder {
namespace {

using testing::ElementsAre;
using testing::HasSubstr;

TEST(LiveInitrdTest, ModulesComeWithWhatTheyNeedFirstAndOnce) {
  constexpr const char* k_dep =
      "kernel/fs/isofs/isofs.ko: kernel/drivers/cdrom/cdrom.ko\n"
      "kernel/drivers/scsi/sr_mod.ko: kernel/drivers/cdrom/cdrom.ko kernel/drivers/scsi/scsi_mod.ko "
      "kernel/lib/base.ko\n"
      "kernel/drivers/cdrom/cdrom.ko:\nkernel/drivers/scsi/scsi_mod.ko: kernel/lib/base.ko\nkernel/lib/base.ko:\n";
  EXPECT_THAT(module_closure(k_dep, {"sr-mod", "isofs", "built-in"}),
              ElementsAre("kernel/lib/base.ko", "kernel/drivers/scsi/scsi_mod.ko", "kernel/drivers/cdrom/cdrom.ko",
                          "kernel/drivers/scsi/sr_mod.ko", "kernel/fs/isofs/isofs.ko"));
}

class LiveRamdiskTest : public testing::Test {
 protected:
  void add(const std::string& path, const std::string& text) {
    files_.make_directories((tree_ / path).parent_path(), 0755);
    files_.write(tree_ / path, text, {});
  }
  std::string tool(std::vector<std::string> argv) { return run_checked(runner_, {.argv = std::move(argv)}); }
  SystemClock clock_;
  RealRunner runner_{clock_};
  TempDir work_ = TempDir::create(fs::temp_directory_path(), "live-");
  fs::path tree_ = work_.path() / "tree";
  RealFileSystem files_;
};

TEST_F(LiveRamdiskTest, ScriptBusyboxAndModulesAreInTheArchive) {
  if (!find_program("bsdtar", current_environment())) GTEST_SKIP() << "libarchive-tools is not installed";
  add("usr/share/initramfs-tools/init", "");
  add("bin/busybox", "the box");
  add("lib/modules/6.1/modules.dep", "kernel/loop.ko:\n");
  add("lib/modules/6.1/modules.dep.bin", "index");
  add("lib/modules/6.1/kernel/loop.ko", "the module");
  const fs::path file = work_.path() / "medium.img";
  files_.write(file, live_ramdisk(tree_, "6.1", ".disk/the-medium", 1000), {});
  EXPECT_EQ(tool({"bsdtar", "-tf", file.string()}),
            "scripts\nscripts/hearth-live\nusr\nusr/bin\nusr/bin/busybox\nusr/lib\nusr/lib/modules\n"
            "usr/lib/modules/6.1\nusr/lib/modules/6.1/modules.dep\nusr/lib/modules/6.1/modules.dep.bin\n"
            "usr/lib/modules/6.1/kernel\nusr/lib/modules/6.1/kernel/loop.ko\n");
  EXPECT_EQ(tool({"bsdtar", "-xOf", file.string(), "usr/lib/modules/6.1/kernel/loop.ko"}), "the module");
  const std::string script = tool({"bsdtar", "-xOf", file.string(), "scripts/hearth-live"});
  EXPECT_THAT(script, HasSubstr("/run/live/medium/.disk/the-medium"));
  files_.write(work_.path() / "script", script, {});
  EXPECT_NO_THROW(tool({"sh", "-n", (work_.path() / "script").string()}));
}

TEST_F(LiveRamdiskTest, ATreeWithoutBusyboxIsToldWhatItLacks) {
  add("usr/share/initramfs-tools/init", "");
  try {
    (void)live_ramdisk(tree_, "6.1", "x", 0);
    FAIL() << "made";
  } catch (const Error& error) {
    EXPECT_EQ(error.kind(), ErrorKind::unsupported);
    EXPECT_THAT(error.story(), HasSubstr("-p initramfs-tools,busybox"));
  }
}

}  // namespace
}  // namespace hearth::builder
