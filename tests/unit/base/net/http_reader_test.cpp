#include "base/net/http_reader.hpp"

#include <gtest/gtest.h>

#include "base/text.hpp"

namespace hearth {
namespace {

/// Feeds `text` in pieces of `piece` bytes, then closes.
HttpReader read(std::string_view text, const AnswerLimits& limits = {}, std::size_t piece = 1) {
  HttpReader reader(limits);
  for (std::size_t at = 0; at < text.size(); at += piece) reader.feed(text.substr(at, piece));
  reader.finish();
  return reader;
}

std::string body_of(std::string_view text, const AnswerLimits& limits = {}) {
  HttpReader whole = read(text, limits, text.size());
  HttpReader bytewise = read(text, limits);
  EXPECT_EQ(whole.problem(), bytewise.problem());
  EXPECT_EQ(whole.response().body, bytewise.response().body);
  return whole.problem().empty() ? whole.response().body : cat("problem: ", whole.problem());
}

TEST(HttpReader, ACountedBodyEndsWhereItsLengthSays) {
  HttpReader reader({});
  reader.feed("HTTP/1.1 200 OK\r\nContent-Type: a/b\r\nX:  y \r\ncontent-length: 3\r\n\r\nabcmore");
  EXPECT_TRUE(reader.done());
  EXPECT_EQ(reader.response().status, 200);
  EXPECT_EQ(reader.response().reason, "OK");
  EXPECT_EQ(find_header(reader.response().headers, "x"), "y");
  EXPECT_EQ(reader.response().body, "abc");
  EXPECT_EQ(reader.rest(), "more");
}

TEST(HttpReader, ChunksAreJoinedAndTrailersDropped) {
  EXPECT_EQ(
      body_of(
          "HTTP/1.1 200 OK\r\nTransfer-Encoding: Chunked\r\n\r\n3;x=y\r\nabc\r\nA\r\n0123456789\r\n0\r\nT: t\r\n\r\n"),
      "abc0123456789");
}

TEST(HttpReader, WithoutALengthTheBodyLastsUntilTheEnd) {
  EXPECT_EQ(body_of("HTTP/1.0 200 OK\r\n\r\nall of\nit"), "all of\nit");
}

TEST(HttpReader, SomeAnswersHaveNoBody) {
  const std::string head = "HTTP/1.1 200 OK\r\nContent-Length: 5\r\n\r\n";
  EXPECT_EQ(body_of(head, {.to_head = true}), "");
  EXPECT_EQ(body_of(head, {.to_connect = true}), "");
  EXPECT_EQ(body_of("HTTP/1.1 204 No\r\nContent-Length: 5\r\n\r\n"), "");
  EXPECT_EQ(body_of("HTTP/1.1 304 Same\r\nTransfer-Encoding: chunked\r\n\r\n"), "");
  EXPECT_EQ(body_of("HTTP/1.1 101 Up\r\n\r\n"), "");
}

TEST(HttpReader, InterimAnswersAreSkipped) {
  EXPECT_EQ(body_of("HTTP/1.1 100 Continue\r\nA: b\r\n\r\nHTTP/1.1 200 OK\r\nContent-Length: 1\r\n\r\nx"), "x");
}

TEST(HttpReader, SloppyServersAreUnderstood) { EXPECT_EQ(body_of("HTTP/1.1 200\nContent-Length: 1\n\nx"), "x"); }

TEST(HttpReader, ACutAnswerIsAProblem) {
  const std::string cut = "problem: the server closed the connection before the answer was complete";
  EXPECT_EQ(body_of("HTTP/1.1 200 OK\r\nContent-Length: 5\r\n\r\nabc"), cut);
  EXPECT_EQ(body_of("HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n3\r\nabc\r\n"), cut);
  EXPECT_EQ(body_of("HTTP/1.1 200 OK\r\nContent-Le"), cut);
  EXPECT_EQ(read("").problem(), cut.substr(9));
}

TEST(HttpReader, WhatIsNoHttpIsAProblem) {
  EXPECT_EQ(body_of("SSH-2.0-OpenSSH\r\n"), "problem: bad version: this is no HTTP server");
  EXPECT_EQ(body_of(std::string("\x15\x03\x01\x00\x02\x02\x46", 7)),
            "problem: bad version: what it answers is TLS: https:// in place of http://?");
  EXPECT_EQ(body_of("220 mail"), "problem: bad version: this is no HTTP server");
  EXPECT_EQ(body_of("HTTP/2 200 OK\r\n\r\n"), "problem: bad version: this is no HTTP server");
  EXPECT_EQ(body_of("HTTP/1.1 20 OK\r\n\r\n"), "problem: bad version: this is no HTTP server");
}

TEST(HttpReader, DoubtfulFramingIsRefused) {
  const auto with = [](const std::string& headers) {
    return body_of(cat("HTTP/1.1 200 OK\r\n", headers, "\r\n\r\nx\r\n"));
  };
  EXPECT_EQ(with("Content-Length: 1\r\nContent-Length: 2"), "problem: bad Content-Length");
  EXPECT_EQ(with("Content-Length: -1"), "problem: bad Content-Length");
  EXPECT_EQ(with("Content-Length: 99999999999999999999"), "problem: bad Content-Length");
  EXPECT_EQ(with("Transfer-Encoding: gzip"), "problem: unknown transfer encoding 'gzip'");
  EXPECT_EQ(with("Transfer-Encoding: chunked\r\nContent-Length: 1"), "problem: bad chunk size");
  EXPECT_EQ(with("No colon"), "problem: bad header line");
  EXPECT_EQ(with("A: b\r\n folded"), "problem: bad header line");
  EXPECT_EQ(with("A : b"), "problem: bad header line");
}

TEST(HttpReader, LongAnswersAreRefusedBeforeTheyArrive) {
  const AnswerLimits limits{.body_limit = 10, .header_limit = 200};
  const std::string too_long = "problem: the answer is longer than allowed";
  EXPECT_EQ(body_of("HTTP/1.1 200 OK\r\nContent-Length: 11\r\n\r\n", limits), too_long);
  EXPECT_EQ(
      body_of("HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n6\r\nabcdef\r\n5\r\nabcde\r\n0\r\n\r\n", limits),
      too_long);
  EXPECT_EQ(body_of("HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\nffffffffff\r\n", limits), too_long);
  EXPECT_EQ(body_of("HTTP/1.1 200 OK\r\n\r\n01234567890", limits), too_long);
  EXPECT_EQ(body_of(cat("HTTP/1.1 200 OK\r\nA: ", std::string(200, 'x'), "\r\n\r\n"), limits), too_long);
  EXPECT_EQ(body_of(cat("HTTP/1.1 200 ", std::string(300, 'x')), limits), too_long);
}

}  // namespace
}  // namespace hearth
