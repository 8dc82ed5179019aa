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

void set_time(const fs::path& path, std::int64_t seconds, long nanoseconds = 0) {
  const std::array<timespec, 2> times = {timespec{seconds, nanoseconds}, timespec{seconds, nanoseconds}};
  ASSERT_EQ(::utimensat(AT_FDCWD, path.c_str(), times.data(), AT_SYMLINK_NOFOLLOW), 0);
}

TEST(RenewedTimes, WhatTheLayersBuildWroteIsNewWhatWasCopiedWithItsTimeStays) {
  const TempDir dir = TempDir::create(fs::temp_directory_path(), "hearth-test-");
  const fs::path tree = dir.path() / "tree";
  const RealFileSystem files;
  fs::create_directories(tree / "sub");
  for (const char* path : {"tree/sub/written", "tree/package", "tree/future", "tree/below", "outside"})
    RealFileSystem().write(dir.path() / path, "x", {});
  fs::create_symlink("../outside", tree / "link");
  for (const char* path : {"tree/sub/written", "tree/link", "outside"}) set_time(dir.path() / path, k_since, 5);
  set_time(tree / "package", k_since, 4);  // of the same second
  set_time(tree / "sub", k_since + 5);
  set_time(tree / "future", k_since + 5, 1);
  set_time(tree / "below", k_since - 1000);
  set_time(tree, k_since - 5);
  const std::int64_t before = std::time(nullptr);
  constexpr std::int64_t second = 1'000'000'000;
  renew_times(tree,
              {{(k_since - 1001) * second, (k_since - 999) * second}, {k_since * second + 5, (k_since + 5) * second}});
  for (const char* path : {"sub/written", "link", "sub", "below"}) EXPECT_GE(time_of(tree / path), before) << path;
  EXPECT_EQ(time_of(tree / "package"), k_since);
  EXPECT_EQ(time_of(tree / "future"), k_since + 5);
  EXPECT_EQ(time_of(tree), k_since - 5);
  EXPECT_EQ(time_of(dir.path() / "outside"), k_since);
}

TEST(RenewedTimes, ABuildsFilesAreLaterThanWhatWasThere) {
  const TempDir dir = TempDir::create(fs::temp_directory_path(), "hearth-test-");
  const auto time_of_new = [&](const char* name) {
    RealFileSystem().write(dir.path() / name, "x", {});
    return RealFileSystem().status(dir.path() / name)->modified;
  };
  const std::int64_t before = time_of_new("before");
  const std::int64_t began = new_write_time(dir.path());
  const std::int64_t written = time_of_new("written");
  EXPECT_LT(before, began);
  EXPECT_LE(began, written);
  EXPECT_LE(written, latest_write_time(dir.path()));
  EXPECT_EQ(RealFileSystem().list(dir.path()).size(), 2U) << "nothing is left";
}

}  // namespace
}  // namespace hearth::builder
