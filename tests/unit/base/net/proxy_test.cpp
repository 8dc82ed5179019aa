#include "base/net/proxy.hpp"

#include <gtest/gtest.h>

#include "base/error.hpp"

namespace hearth {
namespace {

std::string proxy(const std::string& url, const Environment& env) {
  const std::optional<Url> found = proxy_for(parse_url(url).value_or_throw(), ProxySettings::from(env));
  return found ? found->text() : "direct";
}

TEST(Proxy, IsChosenByTheSchemeOfTheTarget) {
  const Environment env = {{"http_proxy", "http://p:3128"}, {"HTTPS_PROXY", "q:3129"}};
  EXPECT_EQ(proxy("http://h/", env), "http://p:3128/");
  EXPECT_EQ(proxy("https://h/", env), "http://q:3129/");
  EXPECT_EQ(proxy("http://h/", {}), "direct");
}

TEST(Proxy, LowerCaseVariablesWin) {
  EXPECT_EQ(proxy("http://h/", {{"http_proxy", "http://low"}, {"HTTP_PROXY", "http://up"}}), "http://low/");
}

TEST(Proxy, NoProxyTakesHostsDomainsPortsAndNetworks) {
  const auto with = [](const std::string& url, const std::string& excluded) {
    return proxy(url, {{"http_proxy", "http://p"}, {"no_proxy", excluded}});
  };
  EXPECT_EQ(with("http://a.example/", "b.example, example"), "direct");
  EXPECT_EQ(with("http://a.example/", ".example"), "direct");
  EXPECT_EQ(with("http://aexample/", "example"), "http://p/");
  EXPECT_EQ(with("http://h:8080/", "h:8080"), "direct");
  EXPECT_EQ(with("http://h:8081/", "h:8080"), "http://p/");
  EXPECT_EQ(with("http://10.1.2.3/", "10.0.0.0/8"), "direct");
  EXPECT_EQ(with("http://11.1.2.3/", "10.0.0.0/8"), "http://p/");
  EXPECT_EQ(with("http://h/", "*"), "direct");
}

TEST(Proxy, AnAddressIsTheSameInEveryForm) {
  const auto with = [](const std::string& url, const std::string& excluded) {
    return proxy(url, {{"http_proxy", "http://p"}, {"no_proxy", excluded}});
  };
  EXPECT_EQ(with("http://10.1/", "10.0.0.1"), "direct");
  EXPECT_EQ(with("http://167772161/", "10.0.0.0/31"), "direct");
  EXPECT_EQ(with("http://10.0.0.2/", "10.0.0.0/31"), "http://p/");
  EXPECT_EQ(with("http://[fd00:0::1]/", "fd00::1"), "direct");
  EXPECT_EQ(with("http://[fd12::1]/", "fd00::/8"), "direct");
  EXPECT_EQ(with("http://[fe12::1]/", "fd00::/8"), "http://p/");
  EXPECT_EQ(with("http://10.0.0.1/", "10.0.0.0/33"), "http://p/");
}

TEST(Proxy, OneThatWantsTlsItselfIsRefusedBeforeItGetsAPassword) {
  EXPECT_THROW((void)proxy("http://h/", {{"http_proxy", "https://u:p@q"}}), Error);
}

TEST(Proxy, LoopbackIsNeverProxied) {
  for (const char* url : {"http://localhost/", "http://127.0.0.2/", "http://127.1/", "http://2130706433/",
                          "http://[::1]/", "http://[0:0::1]/", "http://x.localhost/"}) {
    EXPECT_EQ(proxy(url, {{"http_proxy", "http://p"}}), "direct") << url;
  }
}

}  // namespace
}  // namespace hearth
