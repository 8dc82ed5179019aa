#include "builder/outdated/release_signature.hpp"

#include <gmock/gmock.h>

#include "base/text.hpp"
#include "tests/fakes/memory_file_system.hpp"
#include "tests/fakes/scripted_runner.hpp"

namespace hearth::builder {
namespace {

using ::testing::Contains;
using ::testing::ElementsAre;
using ::testing::HasSubstr;

TEST(ReleaseSignature, KeyringsAreTheCallersTheArchivesAndApts) {
  fakes::MemoryFileSystem files;
  for (const char* directory : {"/usr/share/keyrings", "/etc/apt/trusted.gpg.d", "/my"})
    files.make_directories(directory, 0755);
  for (const char* file :
       {"/usr/share/keyrings/debian-archive-keyring.gpg", "/usr/share/keyrings/debian-archive-removed-keys.gpg",
        "/etc/apt/trusted.gpg.d/site.gpg", "/etc/apt/trusted.gpg.d/text.asc", "/my/ring.gpg"}) {
    files.write(file, "", {});
  }
  EXPECT_THAT(
      archive_keyrings(files, {{"DIB_APT_KEYRING", "/my/ring.gpg"}, {"DIB_DEBIAN_KEYRING", "/not/there.gpg"}}),
      ElementsAre("/my/ring.gpg", "/usr/share/keyrings/debian-archive-keyring.gpg", "/etc/apt/trusted.gpg.d/site.gpg"));
}

class ReleaseSignatureTest : public ::testing::Test {
 protected:
  SignatureCheck check(const std::string& status, const std::string& signature = "") {
    runner.on("gpgv", 0, status);
    return check_release_signature("text", signature, {"/ring.gpg"}, runner, dir.path());
  }
  TempDir dir = TempDir::create(fs::temp_directory_path(), "hearth-test-");
  fakes::ScriptedRunner runner;
};

TEST_F(ReleaseSignatureTest, OneGoodSignatureIsEnoughAndOneBadTooMuch) {
  const SignatureCheck good = check("[GNUPG:] NO_PUBKEY 1\n[GNUPG:] GOODSIG 2 Archive\n");
  EXPECT_EQ(good.unchecked, "");
  EXPECT_FALSE(good.is_bad);
  EXPECT_TRUE(check("[GNUPG:] GOODSIG 2 Archive\n[GNUPG:] BADSIG 1 Archive\n").is_bad);
  EXPECT_THAT(check("GOODSIG 2 Archive\n").unchecked, HasSubstr("by none of the keys"));
  EXPECT_THAT(check("[GNUPG:] REVKEYSIG 2 Archive\n").unchecked, HasSubstr("revoked"));
}

TEST_F(ReleaseSignatureTest, ADetachedSignatureIsGivenBeforeItsText) {
  EXPECT_EQ(check("[GNUPG:] GOODSIG 2 Archive\n", "bytes").unchecked, "");
  const std::vector<std::string>& argv = runner.ran.back().argv;
  EXPECT_THAT(argv, Contains("/ring.gpg"));
  EXPECT_THAT(argv[argv.size() - 2], HasSubstr("Release.gpg"));
  EXPECT_TRUE(fs::is_empty(dir.path())) << "what gpgv read is gone";
}

TEST_F(ReleaseSignatureTest, WithoutKeysNobodyIsAsked) {
  EXPECT_THAT(check_release_signature("text", "", {}, runner, dir.path()).unchecked, HasSubstr("no keyring"));
  EXPECT_TRUE(runner.ran.empty());
}

}  // namespace
}  // namespace hearth::builder
