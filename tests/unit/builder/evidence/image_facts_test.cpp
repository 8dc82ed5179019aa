#include "builder/evidence/image_facts.hpp"

#include <gtest/gtest.h>
#include <sys/stat.h>

#include "base/error.hpp"
#include "base/hash.hpp"
#include "base/sys/file.hpp"
#include "base/sys/file_digest.hpp"

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
