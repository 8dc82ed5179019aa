#include "agent/collect/token_cache.hpp"

#include <gmock/gmock.h>

#include "tests/unit/agent/collect/source_fixture.hpp"

namespace hearth::agent {
namespace {

class TokenCacheTest : public SourceFixture {
 protected:
  void issue(const std::string& id, const std::string& expires = "1970-01-01T09:00:00.000000Z") {
    http_.on("POST", "http://k/v3/auth/tokens", 201,
             cat(R"({"token": {"catalog": [], "expires_at": ")", expires, "\"}}"), {{"X-Subject-Token", id}});
  }
  std::string get(TokenCache& cache) { return cache.get(http_, credentials_, Deadline::never()).id; }
  TokenCache cache(const std::string& directory = "") { return TokenCache({directory}, files_, clock_, log_); }
  HttpResponse ask(TokenCache& cache) {
    return cache.send(http_, credentials_, Deadline::never(), [](const KeystoneToken& token) {
      HttpRequest request;
      request.url = parse_url("http://h/").value_or_throw();
      request.headers = {{"X-Auth-Token", token.id}};
      return request;
    });
  }
  KeystoneCredentials credentials_{"http://k/v3", "u", "p", "t"};
};

TEST_F(TokenCacheTest, ATokenIsUsedUntilItsLifetimeEnds) {
  issue("one");
  issue("two");
  TokenCache tokens = cache();
  EXPECT_EQ(get(tokens), "one");
  clock_.advance(std::chrono::minutes(29));
  EXPECT_EQ(get(tokens), "one");
  clock_.advance(std::chrono::minutes(2));
  EXPECT_EQ(get(tokens), "two");
}

TEST_F(TokenCacheTest, TheServersExpiryCountsWithAMarginOfAMinute) {
  issue("one", "1970-01-01T01:10:00Z");
  issue("two");
  TokenCache tokens = cache();
  EXPECT_EQ(get(tokens), "one");
  clock_.advance(std::chrono::minutes(9) + std::chrono::seconds(1));
  EXPECT_EQ(get(tokens), "two");
}

TEST_F(TokenCacheTest, OtherCredentialsGetAnotherToken) {
  issue("one");
  issue("two");
  TokenCache tokens = cache();
  EXPECT_EQ(get(tokens), "one");
  credentials_.password = "new";
  EXPECT_EQ(get(tokens), "two");
}

TEST_F(TokenCacheTest, AFileKeepsItForTheNextProcess) {
  issue("one");
  issue("two");
  TokenCache first = cache("/t");
  EXPECT_EQ(get(first), "one");
  EXPECT_EQ(files_.files.at(cat("/t/", files_.list("/t").at(0))).attributes.mode, 0600U);
  TokenCache next = cache("/t");
  EXPECT_EQ(get(next), "one");
  clock_.advance(std::chrono::minutes(31));
  TokenCache later = cache("/t");
  EXPECT_EQ(get(later), "two");
}

TEST_F(TokenCacheTest, AFileFromTheFutureIsNone) {
  issue("one");
  issue("two");
  TokenCache first = cache("/t");
  EXPECT_EQ(get(first), "one");
  clock_.set_ahead(-std::chrono::minutes(10));  // its age could not be told any more
  TokenCache next = cache("/t");
  EXPECT_EQ(get(next), "two");
}

TEST_F(TokenCacheTest, ADamagedFileIsNone) {
  issue("one");
  issue("two");
  TokenCache first = cache("/t");
  EXPECT_EQ(get(first), "one");
  files_.put(cat("/t/", files_.list("/t").at(0)), "{");
  TokenCache next = cache("/t");
  EXPECT_EQ(get(next), "two");
}

TEST_F(TokenCacheTest, AFullDiskCostsOnlyTheFile) {
  issue("one");
  files_.fail_write_after(0);
  TokenCache tokens = cache("/t");
  EXPECT_EQ(get(tokens), "one");
  EXPECT_THAT(log_.lines, testing::ElementsAre(testing::HasSubstr("Could not keep the token")));
}

TEST_F(TokenCacheTest, ARefusedKeptTokenIsReplacedOnce) {
  issue("old");
  issue("new");
  http_.on("GET", "http://h/", 200, "");
  http_.on("GET", "http://h/", 401, "");
  http_.on("GET", "http://h/", 200, "");
  TokenCache tokens = cache();
  EXPECT_EQ(ask(tokens).status, 200);
  EXPECT_EQ(ask(tokens).status, 200);
  EXPECT_EQ(find_header(http_.sent.back().headers, "X-Auth-Token"), "new");
}

TEST_F(TokenCacheTest, ARefusedNewTokenIsTheAnswer) {
  issue("one");
  http_.on("GET", "http://h/", 401, "");
  TokenCache tokens = cache();
  EXPECT_EQ(ask(tokens).status, 401);
  EXPECT_EQ(http_.sent.size(), 2U);
}

TEST(ParseExpiryTest, OnlyUtcTimesAreRead) {
  EXPECT_EQ(parse_expiry("1970-01-01T00:01:00.000000Z"), WallTime(std::chrono::minutes(1)));
  EXPECT_EQ(parse_expiry("1970-01-01T00:01:00Z"), WallTime(std::chrono::minutes(1)));
  EXPECT_EQ(parse_expiry("1970-01-01T00:01:00+02:00"), std::nullopt);
  EXPECT_EQ(parse_expiry("soon"), std::nullopt);
}

}  // namespace
}  // namespace hearth::agent
