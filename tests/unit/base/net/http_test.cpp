#include "base/net/http.hpp"

#include <gtest/gtest.h>

#include "tests/fakes/scripted_http.hpp"

namespace hearth {
namespace {

HttpRequest request(std::string method, std::string_view url, int redirects = 3) {
  HttpRequest made;
  made.method = std::move(method);
  made.url = parse_url(url).value_or_throw();
  made.max_redirects = redirects;
  return made;
}

HttpResponse redirect(int status, std::string location) {
  return {status, "", {{"location", std::move(location)}}, "", {}};
}

TEST(Http, HeaderNamesHaveNoCase) {
  EXPECT_EQ(find_header({{"X-Subject-Token", "t"}}, "x-subject-token"), "t");
  EXPECT_EQ(find_header({{"X-Subject-Token", "t"}}, "x-subject"), std::nullopt);
}

TEST(Http, RedirectsAreFollowedOnlyWhenAskedAndCounted) {
  EXPECT_FALSE(redirected(request("GET", "http://h/a", 0), redirect(302, "/b")));
  const std::optional<HttpRequest> next = redirected(request("GET", "http://h/a", 1), redirect(302, "/b"));
  ASSERT_TRUE(next);
  EXPECT_EQ(next->url.text(), "http://h/b");
  EXPECT_FALSE(redirected(*next, redirect(302, "/c")));
}

TEST(Http, APostBecomesAGetExceptWhereTheStatusForbidsIt) {
  HttpRequest post = request("POST", "http://h/a");
  post.body = "x";
  EXPECT_EQ(redirected(post, redirect(303, "/b"))->method, "GET");
  EXPECT_EQ(redirected(post, redirect(302, "/b"))->body, "");
  EXPECT_EQ(redirected(post, redirect(307, "/b"))->method, "POST");
  EXPECT_EQ(redirected(post, redirect(308, "/b"))->body, "x");
}

TEST(Http, CredentialsDoNotGoToAnotherOrigin) {
  HttpRequest get = request("GET", "http://h/a");
  get.headers = {{"X-Auth-Token", "t"}, {"Accept", "a"}};
  EXPECT_EQ(redirected(get, redirect(302, "http://other/"))->headers, (HttpHeaders{{"Accept", "a"}}));
  EXPECT_EQ(redirected(get, redirect(302, "/b"))->headers.size(), 2U);
}

TEST(Http, CredentialsOfTheUrlStayWithItsOrigin) {
  const HttpRequest get = request("GET", "http://u:p@h/a");
  EXPECT_EQ(redirected(get, redirect(302, "http://h/b"))->url.user_info, "u:p");
  EXPECT_EQ(redirected(get, redirect(302, "/b"))->url.user_info, "u:p");
  EXPECT_EQ(redirected(get, redirect(302, "http://q:r@h/b"))->url.user_info, "q:r");
  for (const char* elsewhere : {"http://other/", "//other/b", "http://h:81/", "https://h/"}) {
    EXPECT_EQ(redirected(get, redirect(302, elsewhere))->url.user_info, "") << elsewhere;
  }
}

TEST(ScriptedHttp, AnswersInOrderAndRefusesTheUnknown) {
  fakes::ScriptedHttp http;
  http.on("GET", "http://h/a", 503);
  http.on("GET", "http://h/a", 200, "body");
  EXPECT_EQ(http.send(request("GET", "http://h/a")).status, 503);
  EXPECT_EQ(http.send(request("GET", "http://h/a")).body, "body");
  EXPECT_EQ(http.send(request("GET", "http://h/a")).body, "body");
  EXPECT_THROW((void)http.send(request("POST", "http://h/a")), Error);
}

}  // namespace
}  // namespace hearth
