#include "builder/layers/input_digest.hpp"

#include <gmock/gmock.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/un.h>
#include <unistd.h>

#include <fstream>

#include "base/sys/fd.hpp"
#include "base/text.hpp"
#include "tests/unit/base/in_child.hpp"

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

TEST_F(InputDigestTest, WhatHooksSeeAsNobodysIsOneInputWhetherRootBuildsOrAUser) {
  if (::geteuid() != 0) GTEST_SKIP() << "needs root, to be another user";
  put("site", "x");
  const fs::path file = dir.path() / "site";
  ASSERT_EQ(::chown(file.c_str(), 5000, 5000), 0);
  ::chmod(dir.path().c_str(), 0755);
  const std::string seen = InputDigests(files, {}, [](const fs::path&) { return true; }).host(file);
  EXPECT_NE(seen, InputDigests(files, {}).host(file)) << "root's hooks may also see whose it is";
  EXPECT_EQ(in_child([&] {
              if (::setgid(4711) != 0 || ::setuid(4711) != 0) return 97;
              return InputDigests(files, {}).host(file) == seen ? 0 : 1;
            }),
            0);
}

TEST_F(InputDigestTest, ATreeIsItsNamesModesLinksAndContents) {
  files.make_directories(dir.path() / "tree/below", 0755);
  put("tree/below/a", "1");
  const std::string before = digest("tree");
  const auto after = [&](const std::function<void()>& change, const std::function<void()>& back) {
    change();
    std::string now = digest("tree");
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

TEST_F(InputDigestTest, WhatACopyTakesOverOfAnEntryCounts) {
  files.make_directories(dir.path() / "tree", 0755);
  const fs::path a = dir.path() / "tree/a";
  const fs::path b = dir.path() / "tree/b";
  put("tree/a", "1");
  put("tree/b", "1");
  const std::string two = digest("tree");
  fs::remove(b);
  fs::create_hard_link(a, b);
  EXPECT_NE(digest("tree"), two) << "one file of two names";
  fs::create_hard_link(a, dir.path() / "elsewhere");
  fs::remove(b);
  put("tree/b", "1");
  EXPECT_EQ(digest("tree"), two) << "a name elsewhere is none of the tree's";

  fs::remove(b);
  ASSERT_EQ(::mkfifo(b.c_str(), 0644), 0);
  const std::string fifo = digest("tree");
  const std::string named = digest("tree/b");
  fs::remove(b);
  const Fd socket(::socket(AF_UNIX, SOCK_STREAM, 0));
  sockaddr_un address{.sun_family = AF_UNIX, .sun_path = {}};
  b.string().copy(address.sun_path, sizeof address.sun_path - 1);
  ASSERT_EQ(::bind(socket.get(), reinterpret_cast<const sockaddr*>(&address), sizeof address), 0);
  fs::permissions(b, fs::perms(0644));
  EXPECT_NE(digest("tree"), fifo);
  EXPECT_NE(digest("tree/b"), named);

  if (::geteuid() != 0) return;  // only root gives links away
  fs::remove(b);
  fs::create_symlink("a", b);
  const std::string link = digest("tree");
  ASSERT_EQ(::lchown(b.c_str(), 7, 7), 0);
  EXPECT_NE(digest("tree"), link);
}

}  // namespace
}  // namespace hearth::builder
