#include "base/sys/file_state.hpp"

#include <gtest/gtest.h>

#include "base/sys/file.hpp"

namespace hearth {
namespace {

TEST(FileState, IsAnotherWhenTheFileIs) {
  const TempDir directory = TempDir::create("/tmp", "file-state-");
  const fs::path file = directory.path() / "a";
  EXPECT_EQ(file_state(file), "");
  EXPECT_EQ(file_identity(file), "");
  RealFileSystem().write(file, "1", {.mode = 0600, .uid = {}, .gid = {}});
  const std::string state = file_state(file);
  EXPECT_EQ(file_state(file), state);
  RealFileSystem().write(file, "22", {.mode = 0600, .uid = {}, .gid = {}});
  EXPECT_NE(file_state(file), state);
}

TEST(FileState, WhatIsWrittenInADirectoryLeavesItTheSameOne) {
  const TempDir directory = TempDir::create("/tmp", "file-state-");
  const fs::path home = directory.path() / "home";
  fs::create_directory(home);
  const std::string identity = file_identity(home);
  RealFileSystem().write(home / "a", "1", {.mode = 0600, .uid = {}, .gid = {}});
  EXPECT_EQ(file_identity(home), identity);
  fs::rename(home, directory.path() / "away");  // so that its number is not given again
  EXPECT_EQ(file_identity(home), "");
  fs::create_directory(home);
  EXPECT_NE(file_identity(home), identity);
}

}  // namespace
}  // namespace hearth
