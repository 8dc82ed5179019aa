#include "base/net/keystone.hpp"

#include <gtest/gtest.h>

#include "base/error.hpp"
#include "tests/fakes/scripted_http.hpp"

namespace hearth {
namespace {

constexpr const char* k_token = R"({"token": {"expires_at": "2030-01-01T00:00:00Z", "catalog": [
  {"type": "orchestration", "endpoints": [
    {"interface": "internal", "region": "A", "url": "http://internal"},
    {"interface": "public", "region": "A", "url": "http://heat-a/v1/t/"},
    {"interface": "public", "region": "B", "url": "http://heat-b/v1/t"}]}]}})";

TEST(Keystone, AVersionedUrlIsTakenAsItIs) {
  fakes::ScriptedHttp http;
  EXPECT_EQ(keystone_v3_url(http, "http://k:5000/v3/", Deadline::never()), "http://k:5000/v3");
  EXPECT_TRUE(http.sent.empty());
}

TEST(Keystone, OtherUrlsAreDiscoveredOrGuessed) {
  fakes::ScriptedHttp http;
  http.on("GET", "http://k:5000/", 300, R"({"versions": {"values": [
    {"id": "v2.0", "links": [{"rel": "self", "href": "http://k/v2.0/"}]},
    {"id": "v3.14", "links": [{"rel": "self", "href": "http://k:5000/found/v3/"}]}]}})");
  EXPECT_EQ(keystone_v3_url(http, "http://k:5000/v2.0", Deadline::never()), "http://k:5000/found/v3");
  EXPECT_EQ(keystone_v3_url(http, "http://k:5000", Deadline::never()), "http://k:5000/found/v3");
  http.on("GET", "http://odd/identity/", 404);
  EXPECT_EQ(keystone_v3_url(http, "http://odd/identity/v2.0", Deadline::never()), "http://odd/identity/v3");
}

TEST(Keystone, ATokenComesFromThePassword) {
  fakes::ScriptedHttp http;
  http.on("POST", "http://k/v3/auth/tokens", 201, k_token, {{"X-Subject-Token", "tok"}});
  const KeystoneToken token = keystone_token(http, {"http://k/v3", "u", "p", "t"}, Deadline::never());
  EXPECT_EQ(token.id, "tok");
  EXPECT_EQ(token.expires_at, "2030-01-01T00:00:00Z");
  EXPECT_EQ(http.sent[0].body,
            R"({"auth": {"identity": {"methods": ["password"], "password": {"user": {"password": "p", "id": "u"}}}, )"
            R"("scope": {"project": {"id": "t"}}}})");
}

TEST(Keystone, ARefusalCarriesItsStatus) {
  fakes::ScriptedHttp http;
  http.on("POST", "http://k/v3/auth/tokens", 401);
  try {
    (void)keystone_token(http, {"http://k/v3", "u", "p", "t"}, Deadline::never());
    FAIL() << "no error";
  } catch (const Error& error) {
    EXPECT_EQ(error.exit_code(), 401);
  }
}

TEST(Keystone, TheEndpointIsPublicAndInTheRegion) {
  fakes::ScriptedHttp http;
  http.on("POST", "http://k/v3/auth/tokens", 201, k_token, {{"X-Subject-Token", "tok"}});
  const KeystoneToken token = keystone_token(http, {"http://k/v3", "u", "p", "t"}, Deadline::never());
  EXPECT_EQ(public_endpoint(token, "orchestration", ""), "http://heat-a/v1/t");
  EXPECT_EQ(public_endpoint(token, "orchestration", "B"), "http://heat-b/v1/t");
  try {
    (void)public_endpoint(token, "orchestration", "C");
    FAIL() << "no error";
  } catch (const Error& error) {
    EXPECT_STREQ(error.what(), "publicURL endpoint for orchestration service in C region not found");
  }
}

}  // namespace
}  // namespace hearth
