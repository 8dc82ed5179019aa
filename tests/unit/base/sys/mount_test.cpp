#include "base/sys/mount.hpp"

#include <fcntl.h>
#include <gmock/gmock.h>
#include <sys/mount.h>
#include <unistd.h>

#include "base/error.hpp"
#include "base/sys/file.hpp"
#include "base/sys/namespace.hpp"

namespace hearth {
namespace {

using testing::ElementsAre;
using testing::HasSubstr;
using testing::IsEmpty;

TEST(MountPointsBelow, AreDeepestFirstAndOnlyBelow) {
  const char* text =
      "22 1 0:20 / / rw - ext4 /dev/x rw\n"
      "23 22 0:21 / /mnt rw - tmpfs t rw\n"
      "24 23 0:22 / /mnt/proc rw shared:1 - proc p rw\n"
      "25 23 0:23 / /mnt/dev rw - tmpfs t rw\n"
      "26 25 0:24 / /mnt/dev/pts rw - devpts d rw\n"
      "27 22 0:25 / /mnt2/other rw - tmpfs t rw\n";
  EXPECT_THAT(mount_points_below(text, "/mnt"), ElementsAre("/mnt/dev/pts", "/mnt/dev", "/mnt/proc"));
  EXPECT_THAT(mount_points_below(text, "/nowhere"), IsEmpty());
}

TEST(MountPointsBelow, NamesAreUnescaped) {
  EXPECT_THAT(mount_points_below("1 1 0:1 / /m/a\\040b\\011c\\134d rw - t t rw\n", "/m"), ElementsAre("/m/a b\tc\\d"));
}

TEST(MountPointsBelow, ShortLinesAndOddEscapesDoNoHarm) {
  EXPECT_THAT(mount_points_below("\n1 1 0:1 /\n1 1 0:1 / /m/x\\ rw\n", "/m"), ElementsAre("/m/x\\"));
  EXPECT_THAT(mount_points_below("1 1 0:1 / /m/x\\zzz rw\n", "/m"), ElementsAre("/m/x\\zzz"));
}

TEST(OtherPaths, AreThoseThatBindMountsGive) {
  const char* text =
      "22 1 8:1 / / rw - ext4 /dev/x rw\n"
      "23 22 8:2 / /data rw - ext4 /dev/y rw\n"
      "24 22 8:2 /keys/site /srv/a\\040b rw - ext4 /dev/y rw\n"
      "25 22 8:2 /keys/site/key.pem /etc/key rw - ext4 /dev/y rw\n"
      "26 22 8:2 /keys/sit /mnt rw - ext4 /dev/y rw\n"
      "27 22 8:3 / /other rw - ext4 /dev/z rw\n";
  EXPECT_THAT(other_paths(text, "/data/keys/site/key.pem"), ElementsAre("/srv/a b/key.pem", "/etc/key"));
  EXPECT_THAT(other_paths(text, "/srv/a b/key.pem"), ElementsAre("/data/keys/site/key.pem", "/etc/key"));
  EXPECT_THAT(other_paths(text, "/root/key.pem"), IsEmpty());
  EXPECT_THAT(other_paths("", "/root/key.pem"), IsEmpty());
}

class MountTest : public testing::Test {
 protected:
  void SetUp() override {
    try {
      inside([] {});
    } catch (const Error& error) {
      GTEST_SKIP() << "no namespaces here: " << error.story();
    }
    for (const char* name : {"source/sub", "target"}) fs::create_directories(at(name));
    RealFileSystem().write(at("source/file"), "hello", {});
  }
  [[nodiscard]] fs::path at(const std::string& path) const { return dir.path() / path; }
  /// Runs `body` where it may mount; its failures fail the test.
  template <class Body>
  static void inside(const Body& body) {
    NamespacedProcess process = NamespacedProcess::start([&] {
      body();
      return HasFailure() ? 1 : 0;
    });
    EXPECT_EQ(process.wait(), ExitStatus(Exited{0})) << "what failed inside is printed above";
  }
  static int error_of_creating(const fs::path& path) {
    const int fd = ::open(path.c_str(), O_WRONLY | O_CREAT | O_CLOEXEC, 0644);
    if (fd < 0) return errno;
    ::close(fd);
    return 0;
  }
  TempDir dir = TempDir::create("/tmp", "hearth-test-");
};

TEST_F(MountTest, ABoundDirectoryShowsItsSourceAndCanBeWritten) {
  inside([&] {
    bind_mount(at("source"), at("target"), Access::read_write);
    EXPECT_EQ(read_file(at("target/file")), "hello");
    EXPECT_EQ(error_of_creating(at("target/new")), 0);
  });
  EXPECT_TRUE(fs::exists(at("source/new")));
  EXPECT_THAT(RealFileSystem().list(at("target")), IsEmpty());
}

TEST_F(MountTest, ReadOnlyHoldsForMountsBelowToo) {
  inside([&] {
    mount_file_system("tmpfs", "tmpfs", at("source/sub"), 0, "");
    bind_mount(at("source"), at("target"), Access::read_only);
    EXPECT_EQ(error_of_creating(at("target/new")), EROFS);
    EXPECT_EQ(error_of_creating(at("target/sub/new")), EROFS);
    EXPECT_EQ(error_of_creating(at("source/sub/new")), 0);  // the source stays writable
  });
}

TEST_F(MountTest, AFileCanBeBoundToo) {
  RealFileSystem().write(at("cover"), "covered", {});
  inside([&] {
    bind_mount(at("cover"), at("source/file"), Access::read_only);
    EXPECT_EQ(read_file(at("source/file")), "covered");
  });
  EXPECT_EQ(read_file(at("source/file")), "hello");
}

TEST_F(MountTest, FailuresNameWhatWasTried) {
  inside([&] {
    try {
      bind_mount(at("missing"), at("target"), Access::read_write);
      ADD_FAILURE() << "no error";
    } catch (const Error& error) {
      EXPECT_THAT(error.what(), HasSubstr(at("missing").string()));
      EXPECT_EQ(error.system_error(), ENOENT);
    }
    try {
      mount_file_system("nosuchfs", "none", at("target"), 0, "");
      ADD_FAILURE() << "no error";
    } catch (const Error& error) {
      EXPECT_THAT(error.what(), HasSubstr("mounting nosuchfs on"));
      EXPECT_EQ(error.system_error(), ENODEV);
    }
  });
}

TEST_F(MountTest, UnmountingBelowLeavesTheDirectoryItself) {
  inside([&] {
    mount_file_system("tmpfs", "tmpfs", at("target"), 0, "");
    fs::create_directories(at("target/with blank/deep"));
    mount_file_system("tmpfs", "tmpfs", at("target/with blank"), 0, "");
    fs::create_directories(at("target/with blank/deep"));
    mount_file_system("tmpfs", "tmpfs", at("target/with blank/deep"), 0, "");
    const Fd busy = Fd::open(at("target/with blank/deep/open").string(), O_WRONLY | O_CREAT);
    unmount_below(at("target"));
    const std::string mounts = read_file("/proc/self/mountinfo");
    EXPECT_THAT(mount_points_below(mounts, at("target").string()), IsEmpty());
    EXPECT_THAT(mount_points_below(mounts, dir.path().string()), ElementsAre(at("target").string()));
  });
}

}  // namespace
}  // namespace hearth
