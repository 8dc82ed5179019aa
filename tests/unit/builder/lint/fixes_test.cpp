#include "builder/lint/fixes.hpp"

#include <gmock/gmock.h>

#include "base/sys/file.hpp"

namespace hearth::builder {
namespace {

struct FixesTest : testing::Test {
  TempDir directory = TempDir::create(fs::temp_directory_path(), "hearth-test-");

  std::string mended(const std::string& check, const std::string& before, std::uint32_t mode = 0640) {
    const fs::path file = directory.path() / "file";
    RealFileSystem().write(file, before, {.mode = mode});
    told = mend({file, 1, Severity::error, check, ""}).value_or("(nothing)");
    mode_after = RealFileSystem().status(file)->mode & 07777U;
    return read_file(file);
  }
  std::uint32_t mode_after = 0;
  std::string told;
};

TEST_F(FixesTest, XBitsAreSetForWhoMayRead) {
  (void)mended("executable", "#!/bin/sh\n");
  EXPECT_EQ(mode_after, 0750U);
  EXPECT_EQ(told, "is executable now (chmod +x)");
}

TEST_F(FixesTest, LineEndsLastLinesAndOrderAreMendedAndModesStay) {
  EXPECT_EQ(mended("crlf", "a\r\nb\r\n", 0755), "a\nb\n");
  EXPECT_EQ(mode_after, 0755U);
  EXPECT_EQ(mended("newline", "a\nb"), "a\nb\n");
  EXPECT_EQ(told, "its last line has an end now");
  EXPECT_EQ(mended("depsort", "b\n\na\n"), "a\nb\n");
  EXPECT_EQ(told, "its lines are sorted now");
}

TEST_F(FixesTest, WhatOnlyAPersonKnowsStays) {
  EXPECT_FALSE(mend({directory.path() / "none", 0, Severity::error, "phase", ""}));
}

}  // namespace
}  // namespace hearth::builder
