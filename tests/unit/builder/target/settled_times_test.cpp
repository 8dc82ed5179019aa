#include "builder/target/settled_times.hpp"

#include <fcntl.h>
#include <gtest/gtest.h>
#include <sys/stat.h>

#include <array>

#include "base/sys/file.hpp"

namespace hearth::builder {
namespace {

constexpr std::int64_t k_old = 1000;
constexpr std::int64_t k_epoch = 2000;
constexpr std::int64_t k_new = 3000;

class SettledTimes : public testing::Test {
 protected:
  void add(const fs::path& name, std::int64_t time, const std::string& text = "") {
    files.make_directories((root / name).parent_path(), 0755);
    files.write(root / name, text, {});
    date(name, time);
  }
  void date(const fs::path& name, std::int64_t time) {
    const std::array<timespec, 2> times = {timespec{time, 0}, timespec{time, 0}};
    ASSERT_EQ(::utimensat(AT_FDCWD, (root / name).c_str(), times.data(), AT_SYMLINK_NOFOLLOW), 0);
  }
  std::int64_t time_of(const fs::path& name) {
    struct stat status {};
    EXPECT_EQ(::lstat((root / name).c_str(), &status), 0) << name;
    return status.st_mtim.tv_sec;
  }

  TempDir dir = TempDir::create(fs::temp_directory_path(), "hearth-test-");
  fs::path root = dir.path();
  RealFileSystem files;
};

TEST_F(SettledTimes, WhatNoPackageBroughtHasTheImagesTime) {
  add("var/lib/dpkg/info/a:amd64.list", k_old, "/.\n/lib\n/lib/x.so\n/usr/bin/tool\n");
  add("usr/lib/x.so", k_old);
  add("usr/bin/tool", k_old);
  add("usr/bin/hook", k_old);
  add("etc/late", k_new);
  fs::create_symlink("usr/lib", root / "lib");
  fs::create_symlink("nowhere", root / "etc/link");
  date("etc/link", k_old);
  date("etc", k_old);
  settle_times(root, k_epoch);
  EXPECT_EQ(time_of("usr/lib/x.so"), k_old) << "listed as /lib/x.so";
  EXPECT_EQ(time_of("usr/bin/tool"), k_old);
  EXPECT_EQ(time_of("usr/bin/hook"), k_epoch);
  EXPECT_EQ(time_of("etc/link"), k_epoch);
  EXPECT_EQ(time_of("etc"), k_epoch);
  EXPECT_EQ(time_of("etc/late"), k_new) << "writing the image deals with it";
  EXPECT_EQ(time_of("var/lib/dpkg/info/a:amd64.list"), k_old);
}

TEST_F(SettledTimes, WithoutADatabaseNothingIsTouched) {
  add("usr/bin/tool", k_old);
  settle_times(root, k_epoch);
  EXPECT_EQ(time_of("usr/bin/tool"), k_old);
}

}  // namespace
}  // namespace hearth::builder
