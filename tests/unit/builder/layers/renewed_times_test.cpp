#include "builder/layers/renewed_times.hpp"

#include <fcntl.h>
#include <gtest/gtest.h>
#include <sys/stat.h>

#include <array>
#include <ctime>

#include "base/sys/file.hpp"

namespace hearth::builder {
namespace {

constexpr std::int64_t k_since = 1'700'000'000;

std::int64_t time_of(const fs::path& path) {
  struct stat status {};
  EXPECT_EQ(::lstat(path.c_str(), &status), 0);
  return status.st_mtim.tv_sec;
}

void set_time(const fs::path& path, std::int64_t seconds) {
  const std::array<timespec, 2> times = {timespec{seconds, 0}, timespec{seconds, 0}};
  ASSERT_EQ(::utimensat(AT_FDCWD, path.c_str(), times.data(), AT_SYMLINK_NOFOLLOW), 0);
}

TEST(RenewedTimes, WhatTheLayersBuildWroteIsNewWhatCameOutOfPackagesStays) {
  const TempDir dir = TempDir::create(fs::temp_directory_path(), "hearth-test-");
  const fs::path tree = dir.path() / "tree";
  const RealFileSystem files;
  fs::create_directories(tree / "sub");
  RealFileSystem().write(tree / "sub/written", "x", {});
  RealFileSystem().write(tree / "package", "x", {});
  RealFileSystem().write(dir.path() / "outside", "x", {});
  fs::create_symlink("../outside", tree / "link");
  for (const char* path : {"tree/sub/written", "tree/link", "outside"}) set_time(dir.path() / path, k_since);
  set_time(tree / "package", k_since - 1);
  set_time(tree / "sub", k_since + 5);
  set_time(tree, k_since - 5);
  const std::int64_t before = std::time(nullptr);
  renew_times(tree, k_since);
  for (const char* path : {"sub/written", "link", "sub"}) EXPECT_GE(time_of(tree / path), before) << path;
  EXPECT_EQ(time_of(tree / "package"), k_since - 1);
  EXPECT_EQ(time_of(tree), k_since - 5);
  EXPECT_EQ(time_of(dir.path() / "outside"), k_since);
}

}  // namespace
}  // namespace hearth::builder
