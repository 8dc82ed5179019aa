#include "metadata/rest/token_book.hpp"

#include <gtest/gtest.h>
#include <sys/stat.h>

#include "base/error.hpp"
#include "base/sys/file.hpp"
#include "base/text.hpp"
#include "tests/fakes/memory_logger.hpp"
#include "tests/fakes/power_cut.hpp"

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
  fakes::PowerCut cut;
  const TempDir state = TempDir::create("/tmp", "tokens-");
  const TempDir left = TempDir::create("/tmp", "tokens-");
  { const TokenBook first(state.path()); }
  const std::string token = add_token(state.path(), {"r", Right::reads, "p", 0, ""}, 100);
  cut.leave(state.path(), left.path());
  EXPECT_EQ(read_file(left.path() / "api-token"), read_file(state.path() / "api-token"));
  EXPECT_TRUE(TokenBook(left.path()).find(token, 100));
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

}  // namespace
}  // namespace hearth::metadata::live
