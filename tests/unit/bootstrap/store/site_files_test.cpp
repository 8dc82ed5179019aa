#include "bootstrap/store/site_files.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "base/sys/file.hpp"

namespace hearth::bootstrap {
namespace {

using testing::ElementsAre;
using testing::IsEmpty;

class SiteFilesTest : public testing::Test {
 protected:
  void write(const std::string& seed, const std::string& name, const std::string& text) {
    const fs::path file = directory.path() / seed / name;
    fs::create_directories(file.parent_path());
    RealFileSystem().write(file, text, {.mode = 0600, .uid = {}, .gid = {}});
  }
  [[nodiscard]] Json files(const std::string& seed) const { return site_files(directory.path() / seed); }

  TempDir directory = TempDir::create("/tmp", "hearth-site-files-");
};

TEST_F(SiteFilesTest, KeysTokensAndImagesThatDifferOrLackAreNamed) {
  for (const char* seed : {"a", "b"}) {
    write(seed, "api-token", "t0ken");
    write(seed, "server.key", "k");
    write(seed, "files/images/node.qcow2", "12345");
    write(seed, "copy.db", seed);
  }
  FileDifferences differing = differing_files(files("a"), files("b"));
  EXPECT_THAT(differing.keys, IsEmpty());
  EXPECT_THAT(differing.images, IsEmpty());
  write("a", "files/images/node.qcow2", "123456");
  write("a", "people", "anna read aa");
  write("b", "metadata/seal-key", "x");
  write("b", "server.key", "another");
  differing = differing_files(files("a"), files("b"));
  EXPECT_THAT(differing.keys, ElementsAre("people", "server.key", "metadata/seal-key"));
  EXPECT_THAT(differing.images, ElementsAre("files/images/node.qcow2"));
}

TEST_F(SiteFilesTest, WhatIsToldTellsNoTokenNorWhetherOneWasGuessed) {
  write("a", "api-token", "t0ken");
  write("a", "people", "anna read 1234");
  write("b", "people", "anna read 1234");
  EXPECT_EQ(format_json(files("a"), {}).find("1234"), std::string::npos);
  EXPECT_NE(files("a")["people"], files("b")["people"]) << "whoever has not the token finds no other digest of it";
}

}  // namespace
}  // namespace hearth::bootstrap
