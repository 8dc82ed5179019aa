#include "pxe/http/exchange.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace hearth::pxe::http {
namespace {

using testing::HasSubstr;
using testing::Not;
using testing::StartsWith;

constexpr std::int64_t k_modified = 784111777;  // Sun, 06 Nov 1994 08:49:37 GMT

Plan plan(const std::string& fields, const std::string& method = "GET", std::int64_t modified_s = k_modified) {
  return plan_content(parse_head(method + " /f HTTP/1.1\r\n" + fields + "\r\n"), 1000, modified_s, k_modified);
}

TEST(HttpHead, IsWholeOnlyWithItsEmptyLine) {
  EXPECT_FALSE(head_end("GET / HTTP/1.1\r\nHost: x\r\n"));
  EXPECT_EQ(head_end("GET / HTTP/1.1\r\n\r\nnext"), 18U);
}

TEST(HttpHead, PathsAreDecodedAndQueriesCutOff) {
  const Ask ask = parse_head("GET /a%20b//c?d=e HTTP/1.1\r\nHost: x\r\n\r\n");
  EXPECT_EQ(ask.path, "/a b//c");
  EXPECT_EQ(ask.refused, 0);
  EXPECT_TRUE(ask.keep_alive);
}

TEST(HttpHead, ConnectionsStayOpenAsTheVersionAndTheFieldSay) {
  EXPECT_FALSE(parse_head("GET / HTTP/1.0\r\n\r\n").keep_alive);
  EXPECT_TRUE(parse_head("GET / HTTP/1.0\r\nConnection: Keep-Alive\r\n\r\n").keep_alive);
  EXPECT_FALSE(parse_head("GET / HTTP/1.1\r\nConnection: close\r\n\r\n").keep_alive);
}

TEST(HttpHead, OtherMethodsBodiesAndNoiseAreRefusedAndEndTheConnection) {
  EXPECT_EQ(parse_head("PUT / HTTP/1.1\r\n\r\n").refused, 405);
  EXPECT_EQ(parse_head("GET / HTTP/1.1\r\nContent-Length: 5\r\n\r\n").refused, 400);
  EXPECT_EQ(parse_head("GET / HTTP/1.1\r\nTransfer-Encoding: chunked\r\n\r\n").refused, 400);
  EXPECT_EQ(parse_head("GET / HTTP/1.1\r\nno colon\r\n\r\n").refused, 400);
  EXPECT_EQ(parse_head("noise\r\n\r\n").refused, 400);
  EXPECT_FALSE(parse_head("noise\r\n\r\n").keep_alive);
}

TEST(HttpPlan, AWholeFileHasItsLengthAndItsValidators) {
  const Plan whole = plan("");
  EXPECT_THAT(whole.head, StartsWith("HTTP/1.1 200 OK\r\n"));
  EXPECT_THAT(whole.head, HasSubstr("Content-Length: 1000\r\n"));
  EXPECT_THAT(whole.head, HasSubstr("ETag: \"784111777-1000\"\r\n"));
  EXPECT_THAT(whole.head, HasSubstr("Last-Modified: Sun, 06 Nov 1994 08:49:37 GMT\r\n"));
  EXPECT_EQ(whole.body.size, 1000U);
}

TEST(HttpPlan, HeadTellsTheSameWithoutTheBody) {
  const Plan head = plan("", "HEAD");
  EXPECT_EQ(head.head, plan("").head);
  EXPECT_EQ(head.body.size, 0U);
}

TEST(HttpPlan, ARangeIsServedAndOneBeyondTheEndIsNot) {
  const Plan part = plan("Range: bytes=10-19\r\n");
  EXPECT_EQ(part.status, 206);
  EXPECT_EQ(part.body.first, 10U);
  EXPECT_EQ(part.body.size, 10U);
  EXPECT_THAT(part.head, HasSubstr("Content-Range: bytes 10-19/1000\r\nContent-Length: 10\r\n"));
  const Plan beyond = plan("Range: bytes=1000-\r\n");
  EXPECT_EQ(beyond.status, 416);
  EXPECT_THAT(beyond.head, HasSubstr("Content-Range: bytes */1000\r\n"));
  EXPECT_EQ(beyond.body.size, 0U);
}

TEST(HttpPlan, ARangeOfAnOlderFileIsTheWholeNewOne) {
  EXPECT_EQ(plan("Range: bytes=10-19\r\nIf-Range: \"784111777-1000\"\r\n").status, 206);
  EXPECT_EQ(plan("Range: bytes=10-19\r\nIf-Range: Sun, 06 Nov 1994 08:49:37 GMT\r\n").status, 206);
  EXPECT_EQ(plan("Range: bytes=10-19\r\nIf-Range: \"1-1000\"\r\n").status, 200);
}

TEST(HttpPlan, WhatTheClientHasAlreadyIsNotSentAgain) {
  EXPECT_EQ(plan("If-None-Match: W/\"x\", \"784111777-1000\"\r\n").status, 304);
  EXPECT_EQ(plan("If-None-Match: \"x\"\r\nIf-Modified-Since: Sun, 06 Nov 1994 08:49:37 GMT\r\n").status, 200);
  EXPECT_EQ(plan("If-Modified-Since: Sun, 06 Nov 1994 08:49:37 GMT\r\n").status, 304);
  EXPECT_EQ(plan("If-Modified-Since: Sun, 06 Nov 1994 08:49:36 GMT\r\n").status, 200);
  EXPECT_THAT(plan("If-None-Match: *\r\n").head, Not(HasSubstr("Content-Length")));
}

TEST(HttpPlan, ComputedAnswersAreNeverKept) {
  const Plan computed = plan("Range: bytes=0-1\r\nIf-None-Match: *\r\n", "GET", 0);
  EXPECT_EQ(computed.status, 200);
  EXPECT_THAT(computed.head, HasSubstr("Cache-Control: no-store"));
  EXPECT_THAT(computed.head, Not(HasSubstr("ETag")));
}

TEST(HttpRange, EveryFormOfOneRangeIsUnderstood) {
  EXPECT_EQ(parse_range("bytes=0-", 10)->size, 10U);
  EXPECT_EQ(parse_range("bytes=-3", 10)->first, 7U);
  EXPECT_EQ(parse_range("bytes=-30", 10)->size, 10U);
  EXPECT_EQ(parse_range("bytes=9-99999999999999999", 10)->size, 1U);
  EXPECT_EQ(parse_range("bytes=10-", 10)->size, 0U);
  EXPECT_EQ(parse_range("bytes=0-", 0)->size, 0U);
  for (const char* text :
       {"bytes=", "bytes=-", "bytes=5-4", "bytes=1-2,4-5", "lines=1-2", "bytes=a-b", "bytes=5", "bytes=1-b"})
    EXPECT_FALSE(parse_range(text, 10)) << text;
}

}  // namespace
}  // namespace hearth::pxe::http
