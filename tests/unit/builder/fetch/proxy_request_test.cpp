#include "builder/fetch/proxy_request.hpp"

#include <gtest/gtest.h>

namespace hearth::builder::fetch {
namespace {

TEST(RequestReader, ReadsOneRequestAfterTheOther) {
  RequestReader reader;
  EXPECT_TRUE(reader.idle());
  const std::string bytes =
      "GET http://a/x HTTP/1.1\r\nHost: a\r\n\r\nPOST http://a/y HTTP/1.1\r\nHost: a\r\nContent-Length: 3\r\n"
      "Connection: close\r\n\r\nabc";
  for (const char c : bytes.substr(0, 40)) reader.feed({&c, 1});
  reader.feed(bytes.substr(40));
  ASSERT_TRUE(reader.done());
  const ProxyRequest first = reader.take();
  EXPECT_EQ(first.method, "GET");
  EXPECT_EQ(first.target, "http://a/x");
  EXPECT_TRUE(first.keep_alive);
  ASSERT_TRUE(reader.done()) << "the second came with it";
  const ProxyRequest second = reader.take();
  EXPECT_EQ(second.method, "POST");
  EXPECT_EQ(second.body, "abc");
  EXPECT_EQ(find_header(second.headers, "content-length"), "3");
  EXPECT_FALSE(second.keep_alive);
  EXPECT_TRUE(reader.idle());
}

TEST(RequestReader, JoinsChunks) {
  RequestReader reader;
  reader.feed("POST http://a/ HTTP/1.1\r\nTransfer-Encoding: chunked\r\n\r\n2\r\nab\r\n1\r\nc\r\n0\r\n\r\n");
  ASSERT_TRUE(reader.done());
  EXPECT_EQ(reader.take().body, "abc");
}

TEST(RequestReader, EncouragesOnceThoseWhoWait) {
  RequestReader reader;
  reader.feed("POST http://a/ HTTP/1.1\r\nExpect: 100-continue\r\nContent-Length: 1\r\n\r\n");
  EXPECT_TRUE(reader.wants_encouragement());
  EXPECT_FALSE(reader.wants_encouragement());
  reader.feed("x");
  EXPECT_TRUE(reader.done());
}

TEST(RequestReader, SaysWhatIsNoRequest) {
  RequestReader reader;
  reader.feed("\x16\x03\x01 hello\r\n\r\n");
  EXPECT_FALSE(reader.done());
  EXPECT_NE(reader.problem(), "");
}

TEST(RequestReader, RefusesAnEndlessHead) {
  RequestReader reader;
  reader.feed("GET http://a/ HTTP/1.1\r\n");
  for (int i = 0; i < 2000 && reader.problem().empty(); ++i) reader.feed("X: " + std::string(60, 'y') + "\r\n");
  EXPECT_NE(reader.problem(), "");
}

}  // namespace
}  // namespace hearth::builder::fetch
