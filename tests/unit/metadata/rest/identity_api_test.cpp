#include "metadata/rest/identity_api.hpp"

#include "tests/unit/metadata/rest/rest_fixture.hpp"

namespace hearth::metadata::live {
namespace {

class IdentityTest : public RestTest {
 protected:
  ServedResponse ask(const std::string& method, const std::string& path, const std::string& text = "") {
    ServedRequest request;
    request.method = method;
    request.path = path;
    request.body = text;
    request.headers = {{"Host", "h:5000"}};
    return IdentityApi(*engine_, clock_, log_).answer(request);
  }
  static std::string login(const std::string& user, const std::string& password) {
    Json body = Json::object();
    body["auth"]["identity"]["password"]["user"]["id"] = user;
    body["auth"]["identity"]["password"]["user"]["password"] = password;
    body["auth"]["scope"]["project"]["id"] = "admin";
    return body.dump();
  }
};

TEST_F(IdentityTest, GivesATokenForAKeyPairThatOpensItsOwnResourceOnly) {
  create("s1", k_one_server);
  const std::string key = at("s1", "s").data.key;
  const ServedResponse response = ask("POST", "/v3/auth/tokens", login(key, engine_->access_key(key)->secret));
  EXPECT_EQ(response.status, 201);
  const std::string token = find_header(response.headers, "X-Subject-Token").value_or("");
  EXPECT_EQ(Json::parse(response.body)["token"]["catalog"][0]["endpoints"][0]["url"], "http://127.0.0.1:8004/v1/admin");
  EXPECT_EQ(send("GET", self("s1") + "/resources/s/metadata", "", token).status, 200);
  EXPECT_EQ(send("GET", self("s1") + "/resources/d1", "", token).status, 403);
  EXPECT_EQ(send("POST", self("s1") + "/resources/d1/signal", "{}", token).status, 403);
  EXPECT_EQ(send("GET", "/v1/admin/stacks", "", token).status, 403);
  EXPECT_EQ(send("DELETE", self("s1"), "", token).status, 403);
}

TEST_F(IdentityTest, RefusesAllOthers) {
  create("s1", k_one_server);
  EXPECT_EQ(ask("POST", "/v3/auth/tokens", login(at("s1", "s").data.key, "guess")).status, 401);
  EXPECT_EQ(ask("POST", "/v3/auth/tokens", login("nobody", "")).status, 401);
  EXPECT_EQ(ask("POST", "/v3/auth/tokens", "{").status, 400);
  EXPECT_EQ(ask("POST", "/v3/auth/tokens", R"({"auth": [1]})").status, 401);
  EXPECT_TRUE(log_.holds("refused user 'nobody'"));
}

TEST_F(IdentityTest, TellsItsVersion) {
  EXPECT_EQ(Json::parse(ask("GET", "/v3").body)["version"]["links"][0]["href"], "http://h:5000/v3/");
  EXPECT_EQ(ask("GET", "/").status, 300);
  EXPECT_EQ(ask("GET", "/v2.0").status, 404);
  ServedRequest request;
  request.method = "GET";
  EXPECT_TRUE(IdentityApi(*engine_, clock_, log_).answers_at_once(request)) << "while a large stack is made, too";
  request.method = "POST";
  EXPECT_FALSE(IdentityApi(*engine_, clock_, log_).answers_at_once(request)) << "which is nobody's poll";
}

TEST_F(IdentityTest, GivesTokensWhileAStackIsChanged) {
  create("s1", k_one_server);
  ServedRequest request;
  request.method = "POST";
  request.path = "/v3/auth/tokens";
  const std::string key = at("s1", "s").data.key;
  request.body = login(key, "whatever it is");
  IdentityApi api(*engine_, clock_, log_);
  EXPECT_TRUE(api.admits_at_once(request));
  EXPECT_TRUE(api.answers_at_once(request));
  request.body = login("nobody", "");
  EXPECT_FALSE(api.answers_at_once(request)) << "it may be the key of what is being made";
  request.body = "{";
  EXPECT_FALSE(api.answers_at_once(request));
  std::size_t times = 0;
  engine_->set_breath([&] {
    request.body = login(key, "");
    if (at("s1", "d1").status != Status::in_progress) return;  // it is kept, and being shown
    ++times;
    EXPECT_TRUE(api.answers_at_once(request)) << "in the midst of a step of its own stack, too";
  });
  (void)engine_->signal(engine_->find("s1").live->tree.id, "d1", Json::object());
  EXPECT_GT(times, 0U);
}

}  // namespace
}  // namespace hearth::metadata::live
