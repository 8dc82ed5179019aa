#include "metadata/serve/conditional.hpp"

#include <gtest/gtest.h>

namespace hearth::metadata {
namespace {

bool held(const HttpHeaders& headers, const std::string& method = "GET") {
  ServedRequest request;
  request.method = method;
  request.headers = headers;
  return holds_current(request, "abc", 784111777);
}

TEST(ConditionalRequest, WithTheCurrentTagNeedsNoBody) {
  EXPECT_TRUE(held({{"If-None-Match", "\"abc\""}}));
  EXPECT_TRUE(held({{"if-none-match", "W/\"abc\""}}));
  EXPECT_TRUE(held({{"If-None-Match", "\"x\", abc"}}));
  EXPECT_TRUE(held({{"If-None-Match", "*"}}, "HEAD"));
  EXPECT_FALSE(held({{"If-None-Match", "\"x\""}}));
  EXPECT_FALSE(held({}));
}

TEST(ConditionalRequest, GoesByTheDateOnlyWithoutATag) {
  EXPECT_TRUE(held({{"If-Modified-Since", "Sun, 06 Nov 1994 08:49:37 GMT"}}));
  EXPECT_FALSE(held({{"If-Modified-Since", "Sun, 06 Nov 1994 08:49:36 GMT"}}));
  EXPECT_FALSE(held({{"If-Modified-Since", "yesterday"}}));
  EXPECT_FALSE(held({{"If-None-Match", "\"x\""}, {"If-Modified-Since", "Sun, 06 Nov 1994 08:49:37 GMT"}}));
}

TEST(ConditionalRequest, ThatChangesSomethingIsNeverSpared) {
  EXPECT_FALSE(held({{"If-None-Match", "\"abc\""}}, "PUT"));
}

TEST(NotModified, SaysWhichVersionItMeans) {
  const ServedResponse response = not_modified("\"abc\"", 784111777);
  EXPECT_EQ(response.status, 304);
  EXPECT_EQ(response.headers, (HttpHeaders{{"Etag", "\"abc\""}, {"Last-Modified", "Sun, 06 Nov 1994 08:49:37 GMT"}}));
}

}  // namespace
}  // namespace hearth::metadata
