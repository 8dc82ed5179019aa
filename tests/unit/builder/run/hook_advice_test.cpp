#include "builder/run/hook_advice.hpp"

#include <gmock/gmock.h>

namespace hearth::builder {
namespace {

using testing::HasSubstr;

TEST(AdviceOnRefusal, NamesWhatToDoByTheLastRefusal) {
  const std::vector<std::string> printed = {"mount: /mnt: failed to setup loop device for x.img.", "Setting up x",
                                            "chattr: Operation not permitted while setting flags on /etc/resolv.conf"};
  EXPECT_THAT(advice_on_refusal(printed), HasSubstr("first boot"));
  EXPECT_THAT(advice_on_refusal({printed.front()}), HasSubstr("mke2fs -d"));
}

TEST(AdviceOnRefusal, KnowsWhatProgramsSay) {
  for (const auto& [line, advice] : std::vector<std::pair<const char*, const char*>>{
           {"losetup: cannot find an unused loop device", "no loop devices"},
           {"mknod: /x: Operation not permitted", "udev"},
           {"chown: changing ownership of '/x': Invalid argument", "--add-subuids"},
           {"/tmp/in_target.d/install.d/5-x: line 2: /proc/sys/vm/swappiness: Read-only file system", "sysctl.d"},
           {"sysctl: setting key \"vm.swappiness\": Read-only file system", "sysctl.d"},
           {"date: cannot set date: Operation not permitted", "faketime"},
           {"mount: /x: permission denied.", "tmpfs, overlays and binds"}}) {
    EXPECT_THAT(advice_on_refusal({line}), HasSubstr(advice)) << line;
  }
}

TEST(AdviceOnRefusal, IsSilentOfOtherFailures) {
  EXPECT_EQ(advice_on_refusal({"chown: invalid user: 'x'", "mount: /x: can't find in /etc/fstab.", ""}), "");
}

}  // namespace
}  // namespace hearth::builder
