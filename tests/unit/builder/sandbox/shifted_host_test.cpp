#include "builder/sandbox/shifted_host.hpp"

#include <gtest/gtest.h>
#include <sys/mount.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/error.hpp"
#include "base/sys/file.hpp"
#include "base/text.hpp"
#include "tests/unit/base/as_ordinary_user.hpp"

namespace hearth::builder {
namespace {

TEST(KeepsMachinesIds, WhereServicesKeepWhatOnlyRootMayRead) {
  for (const char* path : {"/etc", "/etc/ssl/private", "/var/lib/x", "/run/x", "/dev/shm/x", "/var/tmpx"})
    EXPECT_TRUE(keeps_machines_ids(path)) << path;
  for (const char* path :
       {"/", "/usr", "/opt/etc", "/root/x", "/tmp", "/var/tmp", "/var/tmp/x", "/var/lib/containers/x", "/etcx"})
    EXPECT_FALSE(keeps_machines_ids(path)) << path;
}

TEST(ShiftedHost, AnOrdinaryUserNeedsNone) {
  if (const std::string why = no_ordinary_user_because(); !why.empty()) GTEST_SKIP() << why;
  as_ordinary_user([] {
    const ShiftedHost host = ShiftedHost::create({"/usr"});
    EXPECT_EQ(host.why_not(), "");
    EXPECT_EQ(host.maps(), callers_id_maps());
  });
}

class ShiftedHostAsRoot : public testing::Test {
 protected:
  void SetUp() override {
    if (::geteuid() != 0) GTEST_SKIP() << "needs root";
  }
};

TEST_F(ShiftedHostAsRoot, ADirectoryOfAnIdThatIsNoneOfTheSandboxsIsNoPlaceToWrite) {
  const TempDir dir = TempDir::create("/tmp", "hearth-test-");
  const IdMaps maps{{{0, 1000000, 65536}}, {{0, 1000000, 65536}}};
  const auto owner = [&](unsigned user, unsigned group) {
    if (::chown(dir.path().c_str(), user, group) != 0) throw Error::from_errno("changing", dir.path().string());
    return owner_outside(dir.path(), maps);
  };
  EXPECT_EQ(owner(0, 0), "");
  EXPECT_EQ(owner(65535, 1), "");
  EXPECT_EQ(owner(65536, 0), "user 65536");
  EXPECT_EQ(owner(0, 4000000), "group 4000000");
  ::chmod(dir.path().c_str(), 01777);
  EXPECT_EQ(owner(70000, 70000), "") << "everybody may write there";
}

TEST_F(ShiftedHostAsRoot, WhatRootOwnsIsTheSandboxRootsButForSecretsOfTheMachine) {
  const TempDir dir = TempDir::create("/tmp", "hearth-test-");
  ::chmod(dir.path().c_str(), 0700);
  RealFileSystem().write(dir.path() / "file", "text", {.mode = 0600, .uid = 33, .gid = 44});
  ShiftedHost host = ShiftedHost::create({"/usr", dir.path()});
  if (!host.why_not().empty()) GTEST_SKIP() << host.why_not();
  for (const char* path : {"/etc/x", "/var/lib/x", "/a-file-in-it"}) EXPECT_TRUE(host.shows_nobody(path)) << path;
  for (const fs::path& path : {fs::path("/usr/x"), dir.path() / "file"}) EXPECT_FALSE(host.shows_nobody(path)) << path;
  NamespacedProcess process = NamespacedProcess::start(
      [&] {
        host.attach();
        boost::system::error_code gone;  // the listing's own
        for (const std::string& name : RealFileSystem().list("/proc/self/fd"))
          if (fs::read_symlink(fs::path("/proc/self/fd") / name, gone) == "/usr") return 4;  // nobody needs it now
        struct stat file {};
        struct stat etc {};
        if (::stat((dir.path() / "file").c_str(), &file) != 0 || ::stat("/etc", &etc) != 0) return 1;
        if (file.st_uid != 33 || file.st_gid != 44 || etc.st_uid != 65534) return 2;
        RealFileSystem().write(dir.path() / "new", "", {});
        return split_words(read_file("/proc/self/uid_map")).at(1) == "0" ? 3 : 0;
      },
      host.maps());
  EXPECT_EQ(process.wait(), ExitStatus(Exited{0}));
  struct stat made {};
  ASSERT_EQ(::stat((dir.path() / "new").c_str(), &made), 0);
  EXPECT_EQ(made.st_uid, 0U);
}

TEST_F(ShiftedHostAsRoot, SaysWhatCantBeShiftedAndLeavesRootItsIds) {
  const ShiftedHost host = ShiftedHost::create({"/proc/self"});
  EXPECT_NE(host.why_not().find("/proc/self"), std::string::npos) << host.why_not();
  EXPECT_EQ(host.maps(), callers_id_maps());
}

}  // namespace
}  // namespace hearth::builder
