#include "metadata/rest/token_book.hpp"

#include <gtest/gtest.h>
#include <sys/stat.h>

#include "base/error.hpp"
#include "base/sys/file.hpp"
#include "base/text.hpp"
#include "tests/fakes/lossy_disk.hpp"
#include "tests/fakes/memory_logger.hpp"

namespace hearth::metadata::live {
namespace {

class TokenBookTest : public testing::Test {
 protected:
  std::string api_token() { return std::string(trim(read_file(state_ / "api-token"))); }
  std::optional<PeopleToken> find(const std::string& text, std::int64_t now = 100) {
    book_.refresh(log_);
    return book_.find(text, now);
  }
  TempDir directory_ = TempDir::create("/tmp", "tokens-");
  fs::path state_ = directory_.path();
  fakes::MemoryLogger log_;
  TokenBook book_{state_};
};

TEST_F(TokenBookTest, KeepsNoTokenButTheFirstAndEndsThemAtOnce) {
  EXPECT_EQ(find(api_token())->right, Right::everything);
  EXPECT_FALSE(find(""));
  const std::string reader = add_token(state_, {"r", Right::reads, "p", 0, ""}, 100);
  const std::string other = add_token(state_, {"o", Right::works, "p", 150, ""}, 100);
  EXPECT_EQ(find(reader)->right, Right::reads);
  EXPECT_EQ(read_file(state_ / "tokens.json").find(reader), std::string::npos);
  struct stat info {};
  ASSERT_EQ(::stat((state_ / "tokens.json").c_str(), &info), 0);
  EXPECT_EQ(info.st_mode & 0777U, 0600U);
  EXPECT_FALSE(find(other, 150));
  EXPECT_THROW((void)add_token(state_, {"r", Right::reads, "", 0, ""}, 100), Error);
  EXPECT_TRUE(revoke_token(state_, "r"));
  EXPECT_FALSE(revoke_token(state_, "r"));
  EXPECT_FALSE(find(reader));
}

TEST_F(TokenBookTest, ATokenThatOthersCanReadOrGuessIsRefused) {
  const fs::path file = state_ / "api-token";
  ASSERT_EQ(::chmod(file.c_str(), 0640), 0);
  EXPECT_THROW(TokenBook{state_}, Error);
  ASSERT_EQ(::chmod(file.c_str(), 0600), 0);
  EXPECT_NO_THROW(TokenBook{state_});
  RealFileSystem().write(file, "vm\n", {.mode = 0600, .uid = {}, .gid = {}});
  EXPECT_THROW(TokenBook{state_}, Error);
}

TEST_F(TokenBookTest, NamesAreWhatLogsAndUrlsCanHold) {
  for (const char* bad : {"n\nl", "../x", "a b", "\x1b[31m"}) {
    EXPECT_THROW((void)add_token(state_, {bad, Right::reads, "p", 0, ""}, 100), Error) << bad;
    EXPECT_THROW((void)add_token(state_, {"n", Right::reads, bad, 0, ""}, 100), Error) << bad;
  }
  EXPECT_THROW((void)add_token(state_, {std::string(65, 'x'), Right::reads, "p", 0, ""}, 100), Error);
  EXPECT_NO_THROW((void)add_token(state_, {"bert.b-2_x", Right::reads, "p", 0, ""}, 100));
}

TEST_F(TokenBookTest, AFormerApiTokenHoldsForItsTime) {
  const std::string former = api_token();
  rotate_api_token(state_, 100, 200);
  EXPECT_NE(api_token(), former);
  EXPECT_EQ(find(api_token(), 300)->name, "api-token");
  EXPECT_EQ(find(former, 199)->name, "former api-token");
  EXPECT_FALSE(find(former, 200));
  EXPECT_EQ(find(book_.own(), 300)->right, Right::everything) << "this process goes on";
}

TEST(TokenFiles, SurviveAPowerCut) {
  const TempDir state = TempDir::create("/tmp", "tokens-");
  fakes::LossyDisk disk(state.path());
  { const TokenBook first(state.path()); }
  const std::string own = read_file(state.path() / "api-token");
  disk.promise("own");
  const std::string token = add_token(state.path(), {"r", Right::reads, "p", 0, ""}, 100);
  disk.promise("added");
  (void)revoke_token(state.path(), "r");
  disk.promise("revoked");
  const std::size_t cuts = disk.cut_everywhere([&](const fakes::LossyDisk::Cut& cut) {
    if (!cut.promised.empty()) {
      EXPECT_EQ(read_file(state.path() / "api-token"), own);
    }
    const TokenBook left(state.path());
    EXPECT_FALSE(cut.promised.size() == 3 && left.find(token, 100)) << "what was ended stays so";
  });
  EXPECT_GT(cuts, 8U);
}

TEST(TokenFiles, ATokenThatWasToldSurvivesAPowerCut) {
  const TempDir state = TempDir::create("/tmp", "tokens-");
  fakes::LossyDisk disk(state.path());
  { const TokenBook first(state.path()); }
  const std::string token = add_token(state.path(), {"r", Right::reads, "p", 0, ""}, 100);
  disk.promise("added");
  const std::size_t cuts = disk.cut_everywhere([&](const fakes::LossyDisk::Cut& cut) {
    const TokenBook left(state.path());
    EXPECT_TRUE(cut.promised.empty() || left.find(token, 100));
  });
  EXPECT_GT(cuts, 4U);
}

TEST_F(TokenBookTest, ABookThatCannotBeReadChangesNothing) {
  const std::string reader = add_token(state_, {"r", Right::reads, "p", 0, ""}, 100);
  EXPECT_TRUE(find(reader));
  for (const char* text : {"{", "[1]", R"([{"role": "king", "digest": "x"}])", R"([{"role": "read"}])"}) {
    RealFileSystem().write(state_ / "tokens.json", text, {.mode = 0600, .uid = {}, .gid = {}});
    EXPECT_TRUE(find(reader)) << text;
    EXPECT_TRUE(log_.holds("tokens.json is no list of tokens")) << text;
    EXPECT_THROW(TokenBook{state_}, Error) << text;
  }
}

TEST(TokenFiles, HoldOnWhenTheWholeDirectoryGoes) {
  const TempDir directory = TempDir::create("/tmp", "tokens-");
  const fs::path state = directory.path() / "state";
  fs::create_directory(state);
  TokenBook book(state);
  fakes::MemoryLogger log;
  const std::string token(trim(read_file(state / "api-token")));
  fs::rename(state, directory.path() / "away");
  book.refresh(log);
  EXPECT_TRUE(book.find(token, 100)) << "that is an accident, and no word of anybody";
  EXPECT_TRUE(log.holds("tokens are as they were before"));
  fs::create_directory(state);
  RealFileSystem().write(state / "api-token", "somebody-else's\n", {.mode = 0600, .uid = {}, .gid = {}});
  book.refresh(log);
  EXPECT_TRUE(book.find(token, 100));
  EXPECT_FALSE(book.find("somebody-else's", 100));
  fs::remove_all(state);
  fs::rename(directory.path() / "away", state);
  fs::remove(state / "api-token");
  book.refresh(log);
  EXPECT_FALSE(book.find(token, 100)) << "this is how one ends it";
  EXPECT_TRUE(log.holds("hearth metadata token rotate"));
}

}  // namespace
}  // namespace hearth::metadata::live
