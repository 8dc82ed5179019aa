#include "builder/evidence/image_facts.hpp"

#include <gtest/gtest.h>
#include <sys/stat.h>

#include "base/error.hpp"
#include "base/hash.hpp"
#include "base/sys/file.hpp"
#include "base/text.hpp"

namespace hearth::builder::evidence {
namespace {

TEST(ImageFacts, KeepVariablesThatSayWhatIsBuiltAndNoSecrets) {
  const Environment telling = telling_variables({{"DIB_RELEASE", "bookworm"},
                                                 {"DIB_DEV_USER_PASSWORD", "secret"},
                                                 {"DIB_APT_KEYRING", "/k.gpg"},
                                                 {"DIB_REPOREF_x", "https://me:pw@192.0.2.1/x"},
                                                 {"ELEMENTS_PATH", "/e"},
                                                 {"DIB_PYTHON_EXEC", "/evil"},
                                                 {"HOME", "/root"},
                                                 {"AWS_SECRET", "x"}});
  EXPECT_EQ(telling,
            (Environment{
                {"DIB_RELEASE", "bookworm"}, {"DIB_APT_KEYRING", "/k.gpg"}, {"DIB_REPOREF_x", "https://192.0.2.1/x"}}));
}

TEST(ImageFacts, DigestADirectoryByWhatIsInIt) {
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

TEST(ImageFacts, DigestADirectoryWhoseNamesLookLikeLines) {
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

TEST(ImageFacts, DigestWhatLinksLeadOutTo) {
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

TEST(ImageFacts, APipeIsNoFileThatCameWithAnImage) {
  const TempDir dir = TempDir::create("/tmp", "hearth-test-");
  ASSERT_EQ(::mkfifo((dir.path() / "pipe").c_str(), 0600), 0);
  EXPECT_THROW((void)read_regular(dir.path() / "pipe"), Error) << "nobody ever ends it";
  EXPECT_THROW((void)describe_output(dir.path() / "pipe"), Error);
}

TEST(ImageFacts, DescribeAnOutput) {
  const TempDir dir = TempDir::create("/tmp", "hearth-test-");
  RealFileSystem().write(dir.path() / "x", "abc", {});
  const OutputFile file = describe_output(dir.path() / "x");
  EXPECT_EQ(file.size, 3U);
  EXPECT_EQ(file.sha256, hex_digest(HashKind::sha256, "abc"));
  EXPECT_EQ(describe_output(dir.path()).sha256, directory_digest(dir.path())) << "an OCI layout is a directory";
}

}  // namespace
}  // namespace hearth::builder::evidence
