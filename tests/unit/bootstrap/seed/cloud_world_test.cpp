#include "bootstrap/seed/cloud_world.hpp"

#include <gtest/gtest.h>

#include "base/error.hpp"
#include "tests/fakes/manual_clock.hpp"
#include "tests/fakes/scripted_http.hpp"

namespace hearth::bootstrap {
namespace {

constexpr const char* k_cloud_token = R"({"token": {"catalog": [
  {"type": "baremetal", "endpoints": [{"interface": "public", "region": "A", "url": "http://ironic:6385/v1"}]}]}})";

TEST(CloudLogin, IsWhatTheVariablesOfOpenStacksClientSay) {
  const Environment environment = {
      {"OS_USERNAME", "admin"}, {"OS_PASSWORD", "pw"}, {"OS_PROJECT_NAME", "p"}, {"OS_USER_DOMAIN_NAME", "D"}};
  const Json login = cloud_login(environment, "");
  EXPECT_EQ(login["identity"]["password"]["user"],
            Json({{"name", "admin"}, {"domain", {{"name", "D"}}}, {"password", "pw"}}));
  EXPECT_EQ(login["scope"]["project"], Json({{"name", "p"}, {"domain", {{"id", "default"}}}}));
  EXPECT_EQ(cloud_login(environment, "of a file")["identity"]["password"]["user"]["password"], "of a file");
  EXPECT_EQ(cloud_login({{"OS_APPLICATION_CREDENTIAL_ID", "i"}, {"OS_APPLICATION_CREDENTIAL_SECRET", "s"}},
                        "")["identity"]["methods"][0],
            "application_credential");
  for (const char* missing : {"OS_USERNAME", "OS_PASSWORD", "OS_PROJECT_NAME"}) {
    Environment without = environment;
    without.erase(missing);
    try {
      static_cast<void>(cloud_login(without, ""));
      FAIL() << missing;
    } catch (const Error& error) {
      EXPECT_EQ(error.what(), std::string(missing) + " is not set");
    }
  }
}

class CloudWorldTest : public ::testing::Test {
 protected:
  CloudWorldTest() { http.on("POST", "http://k/v3/auth/tokens", 201, k_cloud_token, {{"X-Subject-Token", "tok"}}); }
  CloudWorld world() { return {{"http://k/v3", Json::object(), "", "/ca.pem"}, {}, {}, http, clock, {}}; }
  std::string failure(CloudWorld& world, const std::string& service) {
    try {
      static_cast<void>(world.ask_cloud(service, "GET", "/v1/nodes", Json()));
    } catch (const Error& error) {
      return error.story();
    }
    return "";
  }
  fakes::ScriptedHttp http;
  fakes::ManualClock clock;
};

TEST_F(CloudWorldTest, AServiceIsAskedWhereTheCatalogueSays) {
  http.on("GET", "http://ironic:6385/v1/nodes", 200, R"({"nodes": []})");
  CloudWorld cloud = world();
  EXPECT_EQ(cloud.ask_cloud("baremetal", "GET", "/v1/nodes", Json()).status, 200);
  EXPECT_EQ(find_header(http.sent.back().headers, "X-Auth-Token"), "tok");
  for (const HttpRequest& request : http.sent) EXPECT_EQ(request.ca_file, "/ca.pem");
  EXPECT_FALSE(cloud.has("network"));
}

TEST_F(CloudWorldTest, AnOldTokenIsRenewedOnce) {
  http.on("GET", "http://ironic:6385/v1/nodes", 401);
  http.on("GET", "http://ironic:6385/v1/nodes", 200, "{}");
  CloudWorld cloud = world();
  EXPECT_EQ(cloud.ask_cloud("baremetal", "GET", "/v1/nodes", Json()).status, 200);
}

TEST_F(CloudWorldTest, NothingSecretGoesInTheClearToACloudThatCameByTls) {
  const auto refusal = [&](fakes::ScriptedHttp& answers, const char* service) {
    CloudWorld cloud({"https://k", {{"password", "pw"}}, "", ""}, {}, {}, answers, clock, {});
    return failure(cloud, service);
  };
  fakes::ScriptedHttp linked;
  linked.on("GET", "https://k/", 300, R"({"versions": {"values": [{"id": "v3.14", "links": [
    {"rel": "self", "href": "http://k/v3/"}]}]}})");
  EXPECT_NE(refusal(linked, "baremetal").find("names http://k/v3 as its identity service"), std::string::npos);
  for (const HttpRequest& request : linked.sent) EXPECT_EQ(request.body.find("pw"), std::string::npos);
  fakes::ScriptedHttp listed;
  listed.on("GET", "https://k/", 300, "{}");
  listed.on("POST", "https://k/v3/auth/tokens", 201, k_cloud_token, {{"X-Subject-Token", "tok"}});
  EXPECT_NE(refusal(listed, "baremetal").find("names http://ironic:6385 as its baremetal service"), std::string::npos);
  for (const HttpRequest& request : listed.sent) EXPECT_FALSE(find_header(request.headers, "X-Auth-Token"));
}

TEST_F(CloudWorldTest, ALargeImageHasTimeToArrive) {
  EXPECT_EQ(upload_patience(0), std::chrono::minutes(30));
  EXPECT_GT(upload_patience(std::uint64_t{50} << 30U), std::chrono::hours(14));
}

TEST_F(CloudWorldTest, FaultsSayWhatFailedAndWhatToDo) {
  CloudWorld cloud = world();
  EXPECT_NE(failure(cloud, "baremetal").find("goes on where it was"), std::string::npos);
  fakes::ScriptedHttp strict;
  strict.on("POST", "http://k/v3/auth/tokens", 401);
  CloudWorld stranger({"http://k/v3", Json::object(), "", ""}, {}, {}, strict, clock, {});
  EXPECT_NE(failure(stranger, "baremetal").find("lets nobody in with this user and password"), std::string::npos);
  fakes::ScriptedHttp other;
  other.on("POST", "http://k/v3/auth/tokens", 404);
  CloudWorld elsewhere({"http://k/v3", Json::object(), "", ""}, {}, {}, other, clock, {});
  EXPECT_NE(failure(elsewhere, "baremetal").find("--to is the URL of the cloud's identity service"), std::string::npos);
}

}  // namespace
}  // namespace hearth::bootstrap
