#include "base/sys/file_digest.hpp"

#include <gtest/gtest.h>
#include <sys/stat.h>

#include "base/error.hpp"
#include "base/hash.hpp"
#include "base/sys/file.hpp"
#include "base/text.hpp"

namespace hearth {
namespace {

TEST(DirectoryDigest, FollowsWhatIsInTheDirectory) {
  const TempDir dir = TempDir::create("/tmp", "hearth-test-");
  RealFileSystem files;
  fs::create_directories(dir.path() / "root.d");
  files.write(dir.path() / "root.d/10-x", "one", {.mode = 0755});
  const std::string first = directory_digest(dir.path());
  EXPECT_EQ(directory_digest(dir.path()), first);
  ASSERT_EQ(::chmod((dir.path() / "root.d/10-x").c_str(), 0644), 0);
  EXPECT_NE(directory_digest(dir.path()), first) << "it runs no more";
  ASSERT_EQ(::chmod((dir.path() / "root.d/10-x").c_str(), 0700), 0);
  EXPECT_EQ(directory_digest(dir.path()), first) << "only whether it runs counts";
  fs::create_symlink("10-x", dir.path() / "root.d/20-y");
  EXPECT_NE(directory_digest(dir.path()), first);
}

TEST(DirectoryDigest, TellsNamesThatLookLikeLinesApart) {
  const TempDir one = TempDir::create("/tmp", "hearth-test-");
  const TempDir two = TempDir::create("/tmp", "hearth-test-");
  RealFileSystem files;
  files.write(one.path() / "a", "first", {.mode = 0644});
  files.write(one.path() / "b", "second", {.mode = 0644});
  files.write(two.path() / cat("a ", hex_digest(HashKind::sha256, "first"), "\n- b"), "second", {.mode = 0644});
  EXPECT_NE(directory_digest(one.path()), directory_digest(two.path())) << "a file went, and the digest did not see it";
  fs::create_directories(one.path() / "empty");
  EXPECT_NE(directory_digest(one.path()), directory_digest(two.path()));
}

TEST(DirectoryDigest, NamesADirectoryThatWent) {
  try {
    (void)directory_digest("/nowhere/element");
    FAIL() << "there is none";
  } catch (const Error& error) {
    EXPECT_EQ(error.story(), "reading /nowhere/element: No such file or directory");
  }
}

TEST(DirectoryDigest, FollowsWhatLinksLeadOutTo) {
  const TempDir dir = TempDir::create("/tmp", "hearth-test-");
  fs::create_directories(dir.path() / "element/root.d");
  RealFileSystem files;
  files.write(dir.path() / "hook", "good", {.mode = 0755});
  fs::create_symlink("../../hook", dir.path() / "element/root.d/10-x");
  fs::create_symlink("..", dir.path() / "element/round");
  const std::string first = directory_digest(dir.path() / "element");
  files.write(dir.path() / "hook", "evil", {.mode = 0755});
  EXPECT_NE(directory_digest(dir.path() / "element"), first);
}

TEST(FileDigest, TellsDigestAndSize) {
  const TempDir dir = TempDir::create("/tmp", "hearth-test-");
  const std::string text(3'000'000, 'x');
  RealFileSystem().write(dir.path() / "x", text, {});
  const FileDigest digest = digest_file(dir.path() / "x");
  EXPECT_EQ(digest.size, text.size());
  EXPECT_EQ(digest.sha256, hex_digest(HashKind::sha256, text));
}

TEST(FileDigest, APipeIsNoFile) {
  const TempDir dir = TempDir::create("/tmp", "hearth-test-");
  ASSERT_EQ(::mkfifo((dir.path() / "pipe").c_str(), 0600), 0);
  EXPECT_THROW((void)digest_file(dir.path() / "pipe"), Error) << "nobody ever ends it";
}

}  // namespace
}  // namespace hearth
