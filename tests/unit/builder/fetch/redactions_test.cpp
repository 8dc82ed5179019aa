#include "builder/fetch/redactions.hpp"

#include <gmock/gmock.h>

#include "base/text.hpp"

namespace hearth::builder::fetch {
namespace {

Url redactions_url(const std::string& text) { return parse_url(text).value_or_throw(); }

TEST(Redactions, ASignedUrlIsKnownByWhatIsNoSecret) {
  Redactions redactions;
  const auto url = [&](const std::string& text) { return redactions.url(redactions_url(text)); };
  EXPECT_EQ(url("https://me:word@a.example/x?y=1"), "https://a.example/x?y=1");
  const std::string masked = "https://a.example/x?X-Amz-Date=1&X-Amz-Signature=REDACTED";
  EXPECT_EQ(url("https://a.example/x?X-Amz-Date=1&X-Amz-Signature=abc"), masked);
  EXPECT_EQ(url(masked), masked) << "as a replay asks for it";
  EXPECT_EQ(url("https://a.example/x?sig=a&jwt=b&sv=2"), "https://a.example/x?sig=REDACTED&jwt=REDACTED&sv=2");
  EXPECT_TRUE(is_redacted(masked));
  EXPECT_FALSE(is_redacted("https://a.example/REDACTED?x=1"));
}

TEST(Redactions, PagesThatDifferInATokenStayTwo) {
  Redactions redactions;
  const auto page = [&](const std::string& token) {
    return redactions.url(redactions_url(cat("http://a.example/list?page_token=", token)));
  };
  EXPECT_EQ(page("one"), "http://a.example/list?page_token=REDACTED");
  EXPECT_EQ(page("two"), "http://a.example/list?page_token=REDACTED-2");
  EXPECT_EQ(page("one"), "http://a.example/list?page_token=REDACTED");
  EXPECT_EQ(page("REDACTED-2"), "http://a.example/list?page_token=REDACTED-2");
}

TEST(Redactions, APostedFormIsKnownByWhatIsNoSecret) {
  Redactions redactions;
  const HttpHeaders form = {{"Content-Type", "application/x-www-form-urlencoded"}};
  EXPECT_EQ(redactions.posted(form, "user=me&password=abc&scope=x"), "user=me&password=REDACTED&scope=x");
  EXPECT_EQ(redactions.posted(form, "user=me&password=other&scope=x"), "user=me&password=REDACTED-2&scope=x");
  EXPECT_EQ(redactions.posted({}, "password=abc"), "password=abc") << "no form";
  const HttpHeaders json = {{"Content-Type", "application/json; charset=utf-8"}};
  EXPECT_EQ(redactions.posted(json, R"({"login": {"client_secret": "s", "name": "n"}})"),
            R"({"login":{"client_secret":"REDACTED","name":"n"}})");
  for (const char* same : {R"({"objects": [1, {"oid": "x"}]})", "no json", "[]"}) {
    EXPECT_EQ(redactions.posted(json, same), same);
  }
}

TEST(Redactions, WhatGitLfsPostsIsTheSameInWhateverOrderItListsItsWays) {
  Redactions redactions;
  const HttpHeaders lfs = {{"Content-Type", "application/vnd.git-lfs+json; charset=utf-8"}};
  const std::string posted = R"({"operation":"download","transfers":["basic","ssh"],"objects":[{"oid":"x"}]})";
  EXPECT_EQ(redactions.posted(lfs, R"({"operation":"download","transfers":["ssh","basic"],"objects":[{"oid":"x"}]})"),
            posted);
  EXPECT_EQ(redactions.posted(lfs, posted), posted);
  EXPECT_NE(redactions.posted(lfs, R"({"operation":"download","transfers":["ssh"],"objects":[{"oid":"x"}]})"), posted);
}

TEST(Redactions, OfARedirectToASignedUrlTheLockKeepsThePlaceOnly) {
  Redactions redactions;
  const Url asked = redactions_url("https://a.example/dir/x");
  const auto location = [&](const std::string& to) {
    const auto kept = redactions.answer(asked, 302, {{"location", to}}, "<a href=\"https://b.example/?sig=s\">");
    return kept ? cat(find_header(kept->headers, "location").value_or(""), " ", kept->body) : "as it is";
  };
  EXPECT_EQ(location("https://b.example/y?sig=s&v=1"), "https://b.example/y?sig=REDACTED&v=1 ");
  EXPECT_EQ(location("y?token=t"), "https://a.example/dir/y?token=REDACTED ");
  EXPECT_EQ(location("https://me:word@b.example/y"), "https://REDACTED@b.example/y ");
  EXPECT_EQ(location("y?v=1"), "as it is");
  EXPECT_EQ(location("ftp://me:word@b.example/y"), "ftp://b.example/y ");
  EXPECT_TRUE(may_carry_credential(302, {{"location", "x"}}, 1U << 30U));
}

TEST(Redactions, OfATokenTheStoreKeepsThatThereWasOne) {
  Redactions redactions;
  const HttpHeaders json = {{"content-type", "application/json"}};
  const Url asked = redactions_url("https://a.example/token");
  const auto kept = redactions.answer(
      asked, 200, json, R"({"token": "abc", "access_token": "abc", "expires_in": 300, "issued_at": "today"})");
  ASSERT_TRUE(kept);
  EXPECT_EQ(kept->body, R"({"token":"REDACTED","access_token":"REDACTED","expires_in":300})");
  EXPECT_TRUE(is_redacted(Fetched{200, "", 0, kept->headers}));
  EXPECT_FALSE(redactions.answer(asked, 200, json, R"({"tokens": ["abc"], "token": 5})"));
  EXPECT_FALSE(redactions.answer(asked, 200, json, R"({"token": "abc")"));
  EXPECT_FALSE(may_carry_credential(200, {{"content-type", "text/html"}}, 5));
}

}  // namespace
}  // namespace hearth::builder::fetch
