#include "base/net/url.hpp"

#include <gtest/gtest.h>

namespace hearth {
namespace {

Url url(std::string_view text) { return parse_url(text).value_or_throw(); }

TEST(Url, IsTakenApart) {
  const Url parsed = url("https://user:p%40w@Host.Example:8443/a/b?x=1&y=2#frag");
  EXPECT_EQ(parsed.scheme, "https");
  EXPECT_EQ(parsed.user_info, "user:p%40w");
  EXPECT_EQ(parsed.host, "host.example");
  EXPECT_EQ(parsed.port, 8443);
  EXPECT_EQ(parsed.target(), "/a/b?x=1&y=2");
  EXPECT_EQ(parsed.text(), "https://host.example:8443/a/b?x=1&y=2");
}

TEST(Url, HasTheSchemesPortAndRootPathByDefault) {
  EXPECT_EQ(url("http://h").port, 80);
  EXPECT_EQ(url("https://h").port, 443);
  EXPECT_EQ(url("http://h").target(), "/");
  EXPECT_EQ(url("http://h:80/x").authority(), "h");
  EXPECT_EQ(url("http://h?q").target(), "/?q");
  EXPECT_EQ(url("http://h/?").target(), "/?");
}

TEST(Url, Ipv6HostsStandInBrackets) {
  EXPECT_EQ(url("http://[FE80::1]:8080/x").host, "fe80::1");
  EXPECT_EQ(url("http://[::1]:8080/x").authority(), "[::1]:8080");
  EXPECT_EQ(url("http://[FE80::1%25Eth0]:81/").host, "fe80::1%Eth0");
  EXPECT_EQ(url("http://[fe80::1%Eth0]:81/").text(), "http://[fe80::1%25Eth0]:81/");
  for (const char* text : {"http://[fe80::1%]/", "http://[fe80::1%25e%25f]/", "http://[::1/x", "http://[[2]/",
                           "http://[h]/", "http://h]/", "http://a[::1]/", "http://[::1]]/", "http://[::1]x/"}) {
    EXPECT_FALSE(parse_url(text).ok()) << text;
  }
}

TEST(Url, WrongOnesAreRefused) {
  for (const char* text : {"", "h/x", "ftp://h/", "http://", "http:///x", "http://h:0/", "http://h:65536/",
                           "http://h:x/", "http://a b/", "http://h/a\nb"}) {
    EXPECT_FALSE(parse_url(text).ok()) << text;
  }
}

TEST(Url, OddCharactersOfThePathAreEncodedAndEscapesKept) {
  EXPECT_EQ(url("http://h/ä%20\"").target(), "/%C3%A4%20%22");
}

TEST(Url, SecretsOfTheQueryAreMasked) {
  EXPECT_EQ(url("http://h/p?Signature=abc&X=1&flag").masked(), "http://h/p?Signature=***&X=1&flag");
  EXPECT_EQ(url("http://h/v1/nodes?sort_dir=asc&limit=1000").masked(), "http://h/v1/nodes?sort_dir=asc&limit=1000");
  EXPECT_EQ(url("http://h/o?X-Amz-Credential=a&X-Amz-Signature=b&temp_url_sig=c&temp_url_expires=9").masked(),
            "http://h/o?X-Amz-Credential=***&X-Amz-Signature=***&temp_url_sig=***&temp_url_expires=9");
  EXPECT_EQ(url("http://h/o?sv=2&whatever=0123456789&KeyId=AK").masked(), "http://h/o?sv=2&whatever=***&KeyId=***");
}

TEST(Url, ReferencesAreResolved) {
  const Url base = url("http://h:81/a/b/c?q=1");
  const auto resolved = [&base](std::string_view reference) {
    return resolve_url(base, reference).value_or_throw().text();
  };
  EXPECT_EQ(resolved("d"), "http://h:81/a/b/d");
  EXPECT_EQ(resolved("../d?x"), "http://h:81/a/d?x");
  EXPECT_EQ(resolved("/d"), "http://h:81/d");
  EXPECT_EQ(resolved("?z=1"), "http://h:81/a/b/c?z=1");
  EXPECT_EQ(resolved("//other/d"), "http://other/d");
  EXPECT_EQ(resolved("https://other/d"), "https://other/d");
  EXPECT_EQ(resolved("/d?to=http://x/"), "http://h:81/d?to=http://x/");
  EXPECT_EQ(resolved("../../../../e/."), "http://h:81/e/");
}

TEST(PercentEncoding, KeepsUnreservedCharactersOnly) {
  EXPECT_EQ(percent_encode("a b/c~é+"), "a%20b%2Fc~%C3%A9%2B");
  EXPECT_EQ(percent_encode("a/b c", "/"), "a/b%20c");
  EXPECT_EQ(percent_decode("a%20b%2fc%zz%4"), "a b/c%zz%4");
  EXPECT_EQ(percent_decode("%41"), "A");
  EXPECT_EQ(encode_query({{"a b", "1&2"}, {"c", ""}}), "a%20b=1%262&c=");
}

}  // namespace
}  // namespace hearth
