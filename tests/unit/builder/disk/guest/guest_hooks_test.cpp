#include "builder/disk/guest/guest_hooks.hpp"

#include <gmock/gmock.h>

#include "base/error.hpp"
#include "tests/fakes/scripted_guest.hpp"
#include "tests/unit/builder/disk/layout/volume_layouts.hpp"

namespace hearth::builder {
namespace {

using testing::AllOf;
using testing::HasSubstr;
using testing::Not;
using testing::StartsWith;

class GuestHooksTest : public testing::Test {
 protected:
  DiskLayout layout_ = layout_with_all_volumes();
  Placement placement_ = place(layout_, 1024 * 1024 * 1024);
  fakes::GuestRecord record_;
  fakes::ScriptedGuest guest_{record_};
  DeviceHook inside_{.label = "finalise.d/60-x",
                     .in_target = true,
                     .script = "#!/bin/sh\n",
                     .environment = {{"A", "b c"}, {"IMAGE_BLOCK_DEVICE", "/dev/loop0"}, {"TARGET_ROOT", "/t"}}};
};

TEST_F(GuestHooksTest, AScriptThatNamesTheDeviceNeedsOne) {
  EXPECT_TRUE(names_block_device("#!/bin/sh\nsgdisk -p $IMAGE_BLOCK_DEVICE\n"));
  EXPECT_TRUE(names_block_device("eval DEVICES=( $IMAGE_BLOCK_DEVICES )"));
  EXPECT_FALSE(names_block_device("#!/bin/sh\n # not IMAGE_BLOCK_DEVICE\necho x\n"));
}

TEST_F(GuestHooksTest, InsideTheImageAHookSeesTheRealDevices) {
  const std::string script = device_hook_script(inside_, layout_, placement_);
  EXPECT_THAT(script,
              AllOf(HasSubstr("chroot /sysroot env -i 'A=b c'"), HasSubstr("mount --bind /$name /sysroot/$name"),
                    HasSubstr("IMAGE_BLOCK_DEVICE=$(readlink -f /dev/disk/guestfs/disk)"),
                    HasSubstr("[boot]=$(readlink -f /dev/disk/guestfs/disk1)"), HasSubstr("[lv_root]=/dev/vg/lv_root"),
                    Not(HasSubstr("loop0")), Not(HasSubstr("TARGET_ROOT"))));
  inside_.in_target = false;
  EXPECT_THAT(device_hook_script(inside_, layout_, placement_),
              AllOf(Not(HasSubstr("chroot")), HasSubstr("TARGET_ROOT=/sysroot /tmp/hearth-hook")));
}

TEST_F(GuestHooksTest, TheFileSystemsAreMountedOutsideIn) {
  (void)run_device_hooks(guest_, {inside_}, layout_, placement_);
  ASSERT_EQ(record_.did.size(), 7U);
  EXPECT_EQ(record_.did[0], "mount /dev/vg/lv_root /");
  EXPECT_EQ(record_.did[1], "mount /dev/disk/guestfs/disk1 /boot");
  EXPECT_EQ(record_.did[2], "mount /dev/mapper/safe /home");
  EXPECT_THAT(record_.did[5], StartsWith("run "));
  EXPECT_EQ(record_.did[6], "unmount");
}

TEST_F(GuestHooksTest, AFailureNamesTheHook) {
  record_.fails_at = "hearth-hook";
  try {
    (void)run_device_hooks(guest_, {inside_}, layout_, placement_);
    FAIL();
  } catch (const Error& error) {
    EXPECT_THAT(error.story(), HasSubstr("running finalise.d/60-x against the disk"));
  }
  record_.did.clear();
  EXPECT_EQ(run_device_hooks(guest_, {}, layout_, placement_), "");
  EXPECT_TRUE(record_.did.empty()) << "without hooks nothing is mounted";
}

}  // namespace
}  // namespace hearth::builder
