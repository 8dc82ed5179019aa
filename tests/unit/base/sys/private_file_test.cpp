#include "base/sys/private_file.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/error.hpp"
#include "base/sys/file.hpp"
#include "tests/fakes/lossy_disk.hpp"

namespace hearth {
namespace {

TEST(PrivateFile, IsMadeOnceAndReadByItsOwnerOnly) {
  const TempDir directory = TempDir::create("/tmp", "private-");
  const fs::path file = directory.path() / "key";
  EXPECT_TRUE(make_private_file(file, "one"));
  EXPECT_FALSE(make_private_file(file, "two"));
  EXPECT_EQ(read_file(file), "one");
  EXPECT_NO_THROW(require_private(file, "weep"));
  ASSERT_EQ(::chmod(file.c_str(), 0640), 0);
  try {
    require_private(file, "weep");
    FAIL();
  } catch (const Error& error) {
    EXPECT_THAT(error.story(), testing::HasSubstr("chmod 600"));
    EXPECT_THAT(error.story(), testing::HasSubstr("weep when they may have read it"));
  }
  EXPECT_THROW(require_private(directory.path() / "none", ""), Error);
}

TEST(PrivateFile, IsRewrittenBehindALink) {
  const TempDir directory = TempDir::create("/tmp", "private-");
  ASSERT_TRUE(make_private_file(directory.path() / "key", "one"));
  fs::create_symlink(directory.path() / "key", directory.path() / "link");
  rewrite_private_file(directory.path() / "link", "two");
  EXPECT_EQ(read_file(directory.path() / "key"), "two");
  EXPECT_NO_THROW(require_private(directory.path() / "key", ""));
}

TEST(PrivateFile, StaysItsOwnersThoughRootMakesOrRewritesIt) {
  const TempDir directory = TempDir::create("/tmp", "private-");
  const ::uid_t somebody = ::geteuid() == 0 ? 65534 : ::geteuid();  // an ordinary user can give nothing away
  const auto give = [&](const fs::path& path) { return ::chown(path.c_str(), somebody, static_cast<::gid_t>(-1)); };
  ASSERT_TRUE(make_private_file(directory.path() / "key", "one"));
  ASSERT_EQ(give(directory.path() / "key"), 0);
  rewrite_private_file(directory.path() / "key", "two");
  ASSERT_EQ(give(directory.path()), 0);
  rewrite_private_file(directory.path() / "new", "one");
  ASSERT_TRUE(make_private_file(directory.path() / "made", "one"));
  for (const char* name : {"key", "new", "made"}) {
    struct stat info {};
    ASSERT_EQ(::stat((directory.path() / name).c_str(), &info), 0);
    EXPECT_EQ(info.st_uid, somebody) << name;
    EXPECT_EQ(info.st_mode & 07777U, 0600U) << name;
  }
}

TEST(PrivateFile, SurvivesAPowerCutOnceItIsMade) {
  const TempDir directory = TempDir::create("/tmp", "private-");
  fakes::LossyDisk disk(directory.path());
  ASSERT_TRUE(make_private_file(directory.path() / "key", "one"));
  disk.promise("made");
  const std::size_t cuts = disk.cut_everywhere([&](const fakes::LossyDisk::Cut& cut) {
    const std::optional<std::string> found = RealFileSystem().read(directory.path() / "key");
    EXPECT_TRUE(found ? *found == "one" : cut.promised.empty());
  });
  EXPECT_GT(cuts, 2U);
}

}  // namespace
}  // namespace hearth
