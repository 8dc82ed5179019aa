#include "metadata/live/token_commands.hpp"

#include <gtest/gtest.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/error.hpp"
#include "base/sys/file.hpp"
#include "base/sys/seal.hpp"
#include "metadata/rest/token_book.hpp"

namespace hearth::metadata::live {
namespace {

class TokenCommandsTest : public testing::Test {
 protected:
  int run(const std::string& command, std::vector<std::string> words) {
    words.insert(words.end(), {"--state", directory_.path().string()});
    for (const cli::Command& row : token_commands()) {
      if (row.words == "metadata " + command) return row.run(cli::parse_options(row.options, words));
    }
    ADD_FAILURE() << command;
    return -1;
  }
  /// As the server's first start leaves it.
  void begin() {
    RealFileSystem().write(directory_.path() / "api-token", "the first\n", {.mode = 0600, .uid = {}, .gid = {}});
  }
  TempDir directory_ = TempDir::create("/tmp", "token-commands-");
};

TEST_F(TokenCommandsTest, MakeEndAndChangeTokens) {
  EXPECT_THROW(run("token list", {}), Error) << "no server has begun there";
  EXPECT_THROW(run("token create", {"ci"}), Error) << "nobody would read it";
  EXPECT_TRUE(fs::is_empty(directory_.path()));
  begin();
  EXPECT_EQ(run("token create", {"ci", "--role", "operate", "--project", "p", "--hours", "1"}), 0);
  EXPECT_EQ(run("token create", {"watcher"}), 0);
  const std::vector<PeopleToken> tokens = kept_tokens(directory_.path());
  ASSERT_EQ(tokens.size(), 2U);
  EXPECT_EQ(tokens[0].project, "p");
  EXPECT_EQ(tokens[1].right, Right::reads) << "whoever says nothing gets little";
  EXPECT_EQ(tokens[1].project, "admin");
  EXPECT_NE(tokens[1].expires, 0);
  EXPECT_EQ(run("token list", {}), 0);
  EXPECT_EQ(run("token revoke", {"ci"}), 0);
  EXPECT_EQ(kept_tokens(directory_.path()).size(), 1U);
  EXPECT_EQ(run("token rotate", {}), 0);
  EXPECT_TRUE(fs::exists(directory_.path() / "api-token"));
}

TEST_F(TokenCommandsTest, AreMadeWhereAConductorKeepsItsStacksAndNotBesideItsOwnToken) {
  begin();
  fs::create_directory(directory_.path() / "agents");
  EXPECT_THROW(run("token create", {"ci"}), Error) << "the conductor would not read it";
  EXPECT_FALSE(fs::exists(directory_.path() / "tokens.json"));
  fs::create_directory(directory_.path() / "metadata");
  RealFileSystem().write(directory_.path() / "metadata/api-token", "x\n", {.mode = 0600, .uid = {}, .gid = {}});
  EXPECT_EQ(run("token create", {"ci"}), 0);
  EXPECT_EQ(kept_tokens(directory_.path() / "metadata").size(), 1U);
}

TEST_F(TokenCommandsTest, LeaveWhatRootChangesToTheServicesUser) {
  const ::uid_t service = ::geteuid() == 0 ? 65534 : ::geteuid();
  begin();
  for (const fs::path& of : {directory_.path(), directory_.path() / "api-token"})
    ASSERT_EQ(::chown(of.c_str(), service, static_cast<::gid_t>(-1)), 0);
  EXPECT_EQ(run("token create", {"ci"}), 0);
  EXPECT_EQ(run("token rotate", {}), 0);
  for (const char* name : {"tokens.json", "api-token"}) {
    struct stat info {};
    ASSERT_EQ(::stat((directory_.path() / name).c_str(), &info), 0);
    EXPECT_EQ(info.st_uid, service) << name;
  }
}

TEST_F(TokenCommandsTest, AddAKeyThatSeals) {
  const fs::path file = directory_.path() / k_seal_key;
  EXPECT_THROW(run("seal rotate", {}), Error) << "there is no key yet";
  const std::string before = Seal::read_or_make(file).key_id();
  EXPECT_EQ(run("seal rotate", {}), 0);
  EXPECT_EQ(run("seal rotate", {"--seal-key", file.string()}), 0);
  EXPECT_NE(Seal::read(file).key_id(), before);
  EXPECT_TRUE(Seal::read(file).has(before)) << "no server has sealed with the new ones yet";
}

TEST_F(TokenCommandsTest, RefuseWhatIsNoTokenOrNoEnd) {
  begin();
  EXPECT_THROW(run("token create", {}), Error);
  EXPECT_THROW(run("token create", {"a", "--role", "king"}), Error);
  EXPECT_THROW(run("token create", {"a", "--hours", "-1"}), Error);
  EXPECT_THROW(run("token create", {"a", "--role", "admin", "--project", "p"}), Error);
  EXPECT_THROW(run("token create", {"api-token"}), Error);
  EXPECT_THROW(run("token revoke", {"a"}), Error);
  EXPECT_THROW(run("audit", {}), Error) << "there is no log";
}

}  // namespace
}  // namespace hearth::metadata::live
