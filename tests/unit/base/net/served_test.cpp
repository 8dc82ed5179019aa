#include "base/net/served.hpp"

#include <gtest/gtest.h>

namespace hearth {
namespace {

TEST(RequestTarget, IsPathAndQuery) {
  const auto target = parse_request_target("/v1/a%20b/c?x=%2F&y");
  ASSERT_TRUE(target.ok());
  EXPECT_EQ(target->raw_path, "/v1/a%20b/c");
  EXPECT_EQ(target->path, "/v1/a b/c");
  EXPECT_EQ(target->query, "x=%2F&y");
}

TEST(RequestTarget, MayBeAWholeUrl) {
  const auto target = parse_request_target("http://192.0.2.1:8000/v1/?a=b");
  ASSERT_TRUE(target.ok());
  EXPECT_EQ(target->path, "/v1/");
  EXPECT_EQ(target->query, "a=b");
}

TEST(RequestTarget, WithANulOrWithoutAPathIsRefused) {
  for (const char* bad : {"", "*", "a", "/a%00b", "ftp://h/x"}) EXPECT_FALSE(parse_request_target(bad).ok()) << bad;
}

TEST(ResponseHead, HasALengthWhereTheStatusAllowsABody) {
  ServedResponse response;
  response.body = "four";
  EXPECT_EQ(response_head(response, "D", true), "HTTP/1.1 200 OK\r\nDate: D\r\nContent-Length: 4\r\n\r\n");
  EXPECT_EQ(response_head({.status = 304, .reason = {}, .headers = {{"ETag", "\"x\""}}, .body = {}, .shared_body = {}},
                          "D", true),
            "HTTP/1.1 304 Not Modified\r\nDate: D\r\nETag: \"x\"\r\n\r\n");
}

TEST(ResponseHead, CanNotBeSplitByAValue) {
  ServedResponse response;
  response.reason = "Bad\r\nX: y";
  response.headers = {{"Location", "/a\r\nSet-Cookie: b"}};
  const std::string head = response_head(response, "D", false);
  EXPECT_EQ(head.find("\r\nX:"), std::string::npos);
  EXPECT_EQ(head.find("\r\nSet-Cookie"), std::string::npos);
  EXPECT_NE(head.find("Connection: close\r\n"), std::string::npos);
}

TEST(ServedResponse, PrefersTheSharedBody) {
  ServedResponse response;
  response.body = "own";
  response.shared_body = std::make_shared<const std::string>("shared");
  EXPECT_EQ(response.content(), "shared");
}

TEST(Logs, ShowATargetWithoutItsSecrets) {
  EXPECT_EQ(without_secrets("/v1/?Action=X&Signature=abc&temp_url_sig=def&temp_url_expires=1"),
            "/v1/?Action=X&Signature=***&temp_url_sig=***&temp_url_expires=1");
  EXPECT_EQ(without_secrets("/plain"), "/plain");
  EXPECT_EQ(without_secrets("/x?Signatur%65=abc"), "/x?Signatur%65=***");
}

TEST(Reasons, AreKnownForTheStatusesWeSend) {
  EXPECT_EQ(usual_reason(431), "Request Header Fields Too Large");
  EXPECT_EQ(usual_reason(799), "Unknown");
}

}  // namespace
}  // namespace hearth
