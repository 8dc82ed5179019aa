#include "builder/guestfs/appliance_check.hpp"

#include <gmock/gmock.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/error.hpp"
#include "base/sys/file.hpp"
#include "tests/unit/base/as_ordinary_user.hpp"

namespace hearth::builder {
namespace {

using testing::AllOf;
using testing::HasSubstr;
using testing::Not;

class ApplianceCheckTest : public testing::Test {
 protected:
  TempDir root_ = TempDir::create(fs::temp_directory_path(), "appliance-");
  RealFileSystem files_;
  Environment env_ = {{"PATH", (root_.path() / "bin").string()}};

  std::string story() {
    try {
      check_appliance(env_, root_.path());
      return "fine";
    } catch (const Error& error) {
      return error.story();
    }
  }
  void add_program(const std::string& name) {
    files_.make_directories(root_.path() / "bin", 0755);
    files_.write(root_.path() / "bin" / name, "#!/bin/sh\n", {.mode = 0755});
  }
  void add_kernel(std::uint32_t mode) {
    files_.make_directories(root_.path() / "boot", 0755);
    files_.write(root_.path() / "boot/vmlinuz-6.1", "kernel", {.mode = mode});
    files_.make_directories(root_.path() / "lib/modules/6.1", 0755);
  }
};

TEST_F(ApplianceCheckTest, EverythingMissingIsNamedWithItsPackage) {
  files_.make_directories(root_.path() / "boot", 0755);
  EXPECT_THAT(story(), AllOf(HasSubstr("missing: supermin, qemu-system-x86_64, a kernel in /boot with its modules"),
                             HasSubstr("apt-get install supermin qemu-system-x86 linux-image-cloud-amd64")));
  add_program("supermin");
  EXPECT_THAT(story(), Not(HasSubstr("missing: supermin")));
  add_program("qemu-system-x86_64");
  add_kernel(0644);
  EXPECT_EQ(story(), "fine");
}

TEST_F(ApplianceCheckTest, AKernelThatOnlyRootMayReadIsToldApart) {
  add_program("supermin");
  add_program("qemu-system-x86_64");
  add_kernel(0000);
  const auto check = [&] { EXPECT_THAT(story(), AllOf(HasSubstr("may not read"), HasSubstr("chmod 0644"))); };
  if (::geteuid() != 0) return check();
  if (const std::string why = no_ordinary_user_because(); !why.empty()) GTEST_SKIP() << why;
  ASSERT_EQ(::chmod(root_.path().c_str(), 0755), 0);
  as_ordinary_user(check);  // root could read it
}

TEST_F(ApplianceCheckTest, AReadyMadeApplianceNeedsNothing) {
  env_["LIBGUESTFS_PATH"] = "/somewhere";
  EXPECT_EQ(story(), "fine");
}

}  // namespace
}  // namespace hearth::builder
