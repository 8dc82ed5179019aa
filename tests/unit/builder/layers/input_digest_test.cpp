#include "builder/layers/input_digest.hpp"

#include <gmock/gmock.h>

#include <fstream>

#include "base/text.hpp"

namespace hearth::builder {
namespace {

class InputDigestTest : public testing::Test {
 protected:
  void put(const std::string& path, const std::string& text) { files.write(dir.path() / path, text, {}); }
  std::string digest(const std::string& path = "large") {
    InputDigests digests(files, dir.path() / "memory.json");
    std::string found = digests.host(dir.path() / path);
    digests.save();
    return found;
  }
  /// As if it were long ago that anything was written: what was written just now is not remembered.
  void remember(const std::string& path, const std::string& old_digest, const std::string& said) {
    std::string memory = files.read(dir.path() / "memory.json").value_or("");
    ASSERT_NE(memory.find(old_digest), std::string::npos) << path;
    files.write(dir.path() / "memory.json", replace_all(memory, old_digest, said), {});
  }
  TempDir dir = TempDir::create(fs::temp_directory_path(), "hearth-test-");
  RealFileSystem files;
};

TEST_F(InputDigestTest, WhatWasWrittenThisMomentIsNotRemembered) {
  put("large", std::string(2'000'000, 'x'));
  const std::string first = digest();
  EXPECT_EQ(files.read(dir.path() / "memory.json"), std::nullopt);
  put("large", std::string(2'000'000, 'y'));
  EXPECT_NE(digest(), first);
}

TEST_F(InputDigestTest, ALargeFileIsReadAgainOnlyWhenItLooksDifferent) {
  put("large", std::string(2'000'000, 'x'));
  ::usleep(2'100'000);
  const std::string first = digest();
  remember("large", first, "remembered");
  EXPECT_EQ(digest(), "remembered");
  const auto written = fs::last_write_time(dir.path() / "large");
  std::ofstream((dir.path() / "large").string(), std::ios::in | std::ios::out) << "y";
  fs::last_write_time(dir.path() / "large", written);
  EXPECT_NE(digest(), "remembered") << "the time of change can't be put back";
  EXPECT_NE(digest(), first);
}

TEST_F(InputDigestTest, ATreeIsItsNamesModesLinksAndContents) {
  files.make_directories(dir.path() / "tree/below", 0755);
  put("tree/below/a", "1");
  const std::string before = digest("tree");
  const auto after = [&](const std::function<void()>& change, const std::function<void()>& back) {
    change();
    const std::string now = digest("tree");
    back();
    EXPECT_EQ(digest("tree"), before);
    return now;
  };
  EXPECT_NE(after([&] { put("tree/below/a", "2"); }, [&] { put("tree/below/a", "1"); }), before);
  EXPECT_NE(after([&] { put("tree/b", ""); }, [&] { fs::remove(dir.path() / "tree/b"); }), before);
  EXPECT_NE(after([&] { fs::permissions(dir.path() / "tree/below/a", fs::perms::owner_all); },
                  [&] { put("tree/below/a", "1"); }),
            before);
  EXPECT_NE(
      after([&] { fs::create_symlink("nowhere", dir.path() / "tree/l"); }, [&] { fs::remove(dir.path() / "tree/l"); }),
      before);
  EXPECT_EQ(digest("none"), "missing");
}

}  // namespace
}  // namespace hearth::builder
