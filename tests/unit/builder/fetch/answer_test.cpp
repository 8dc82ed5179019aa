#include "builder/fetch/answer.hpp"

#include <gmock/gmock.h>

namespace hearth::builder::fetch {
namespace {

using testing::HasSubstr;
using testing::StartsWith;

const Fetched k_object{
    200, "d", 10, {{"etag", "\"1\""}, {"last-modified", "Sun, 06 Nov 1994 08:49:37 GMT"}, {"content-type", "a/b"}}};

TEST(StoredAnswers, AreWholeUnlessAskedOtherwise) {
  const Answer answer = answer_with(k_object, "GET", {});
  EXPECT_THAT(answer.head, StartsWith("HTTP/1.1 200 OK\r\n"));
  EXPECT_THAT(answer.head, HasSubstr("content-length: 10\r\n"));
  EXPECT_THAT(answer.head, HasSubstr("content-type: a/b\r\n"));
  EXPECT_EQ(answer.size, 10U);
  EXPECT_EQ(answer_with(k_object, "HEAD", {}).size, 0U);
  EXPECT_THAT(answer_with(k_object, "HEAD", {}).head, HasSubstr("content-length: 10\r\n"));
  EXPECT_THAT(answer_with({404, "d", 3, {}}, "GET", {{"Range", "bytes=1-"}}).head, StartsWith("HTTP/1.1 404 "));
}

struct RangeCase {
  const char* range;
  int status;
  std::uint64_t first;
  std::uint64_t size;
};
class Ranges : public testing::TestWithParam<RangeCase> {};
TEST_P(Ranges, AreCutAsRfc9110Says) {
  const RangeCase& each = GetParam();
  const Answer answer = answer_with(k_object, "GET", {{"Range", each.range}});
  EXPECT_THAT(answer.head, StartsWith("HTTP/1.1 " + std::to_string(each.status)));
  EXPECT_EQ(answer.first, each.first);
  EXPECT_EQ(answer.size, each.size);
}
INSTANTIATE_TEST_SUITE_P(Asked, Ranges,
                         testing::Values(RangeCase{"bytes=2-4", 206, 2, 3}, RangeCase{"bytes=7-", 206, 7, 3},
                                         RangeCase{"bytes=-4", 206, 6, 4}, RangeCase{"bytes=-40", 206, 0, 10},
                                         RangeCase{"bytes=5-99", 206, 5, 5}, RangeCase{"bytes=10-", 416, 0, 0},
                                         RangeCase{"bytes=4-2", 200, 0, 10}, RangeCase{"bytes=1-2,4-5", 200, 0, 10},
                                         RangeCase{"lines=1-2", 200, 0, 10}, RangeCase{"bytes=x-", 200, 0, 10}));

TEST(StoredAnswers, SayWhatPartTheyAre) {
  EXPECT_THAT(answer_with(k_object, "GET", {{"Range", "bytes=2-4"}}).head,
              HasSubstr("content-range: bytes 2-4/10\r\n"));
  EXPECT_THAT(answer_with(k_object, "GET", {{"Range", "bytes=10-"}}).head, HasSubstr("content-range: bytes */10\r\n"));
}

TEST(StoredAnswers, AreNotSentToThoseWhoHaveThem) {
  const auto status = [](const HttpHeaders& asked) { return answer_with(k_object, "GET", asked).head.substr(9, 3); };
  EXPECT_EQ(status({{"If-None-Match", "\"0\", \"1\""}}), "304");
  EXPECT_EQ(status({{"If-None-Match", "\"2\""}}), "200");
  EXPECT_EQ(status({{"If-Modified-Since", "Sun, 06 Nov 1994 08:49:37 GMT"}}), "304");
  EXPECT_EQ(status({{"If-Modified-Since", "Sat, 05 Nov 1994 08:49:37 GMT"}}), "200");
  EXPECT_EQ(status({{"Range", "bytes=1-"}, {"If-Range", "\"2\""}}), "200");
  EXPECT_EQ(status({{"Range", "bytes=1-"}, {"If-Range", "\"1\""}}), "206");
}

TEST(OwnAnswers, AreTextsOfTheirLength) {
  const std::string answer = own_answer(504, "no");
  EXPECT_THAT(answer, StartsWith("HTTP/1.1 504 Gateway Timeout\r\n"));
  EXPECT_THAT(answer, HasSubstr("content-length: 3\r\n"));
  EXPECT_THAT(answer, testing::EndsWith("\r\n\r\nno\n"));
}

TEST(PassingAnswers, AreTheServersWithALength) {
  EXPECT_EQ(passing_head(200, {{"etag", "x"}}, 7), "HTTP/1.1 200 OK\r\netag: x\r\ncontent-length: 7\r\n\r\n");
  EXPECT_TRUE(wants_part({{"range", "bytes=1-"}}));
  EXPECT_FALSE(wants_part({{"accept", "*/*"}}));
}

}  // namespace
}  // namespace hearth::builder::fetch
