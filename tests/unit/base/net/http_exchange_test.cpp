#include "base/net/http_exchange.hpp"

#include <gtest/gtest.h>

namespace hearth {
namespace {

HttpRequest asked_for(std::string method, std::string_view url) {
  HttpRequest made;
  made.method = std::move(method);
  made.url = parse_url(url).value_or_throw();
  return made;
}

const std::optional<Url> k_near_proxy = parse_url("http://a:b@proxy:3128").value_or_throw();

TEST(HttpExchange, AHeadHasTheCredentialsOfItsUrlAndOfItsProxy) {
  EXPECT_EQ(request_head(asked_for("GET", "http://u:p@h:81/x?y"), std::nullopt, "me"),
            "GET /x?y HTTP/1.1\r\nHost: h:81\r\nUser-Agent: me\r\nAccept: */*\r\nConnection: close\r\n"
            "Authorization: Basic dTpw\r\n\r\n");
  EXPECT_EQ(request_head(asked_for("GET", "http://h/x"), k_near_proxy, "me"),
            "GET http://h/x HTTP/1.1\r\nHost: h\r\nUser-Agent: me\r\nAccept: */*\r\nConnection: close\r\n"
            "Proxy-Authorization: Basic YTpi\r\n\r\n");
}

TEST(HttpExchange, ATunnelNamesItsPortAndNoCredentialsOfTheFarServer) {
  EXPECT_EQ(request_head(asked_for("CONNECT", "https://u:p@h/x"), k_near_proxy, "me"),
            "CONNECT h:443 HTTP/1.1\r\nHost: h:443\r\nUser-Agent: me\r\nProxy-Authorization: Basic YTpi\r\n\r\n");
  EXPECT_EQ(request_head(asked_for("CONNECT", "https://[::1]:81/"), std::nullopt, "me"),
            "CONNECT [::1]:81 HTTP/1.1\r\nHost: [::1]:81\r\nUser-Agent: me\r\n\r\n");
}

TEST(HttpExchange, FieldsOfTheRequestReplaceOursAndCannotEndALine) {
  HttpRequest post = asked_for("POST", "http://h/");
  post.headers = {{"user-agent", "you"}, {"X-A", "b\r\nX-Evil: c"}};
  EXPECT_EQ(request_head(post, std::nullopt, "me"),
            "POST / HTTP/1.1\r\nHost: h\r\nuser-agent: you\r\nAccept: */*\r\nConnection: close\r\nX-A: b  X-Evil: c\r\n"
            "Content-Length: 0\r\n\r\n");
}

TEST(HttpExchange, TheZoneOfAnAddressStaysOnThisMachine) {
  const std::string head = request_head(asked_for("GET", "http://[fe80::1%25eth0]:81/"), std::nullopt, "me");
  EXPECT_NE(head.find("Host: [fe80::1]:81\r\n"), std::string::npos) << head;
}

}  // namespace
}  // namespace hearth
