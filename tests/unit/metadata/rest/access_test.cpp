#include "metadata/rest/access.hpp"

#include "base/hmac.hpp"
#include "tests/unit/metadata/rest/rest_fixture.hpp"

namespace hearth::metadata::live {
namespace {

class AccessTest : public RestTest {
 protected:
  std::optional<Caller> who(const HttpHeaders& headers, const std::string& peer = "192.0.2.9", bool trust = false,
                            std::int64_t now = 100) {
    ServedRequest request;
    request.headers = headers;
    request.peer = peer;
    return identify(request, {&tokens_, trust}, *engine_, now);
  }
};

TEST_F(AccessTest, PeopleComeWithTheToken) {
  EXPECT_TRUE(who({{"X-Auth-Token", "admin-token"}})->right == Right::everything);
  EXPECT_TRUE(who({{"Authorization", "Basic " + base64_encode("anyone:admin-token")}})->right == Right::everything);
  EXPECT_FALSE(who({{"X-Auth-Token", "admin-toke"}}));
  EXPECT_FALSE(who({{"Authorization", "Basic ???"}}));
  EXPECT_FALSE(who({}));
}

TEST_F(AccessTest, OtherTokensHaveARoleAProjectAndAnEnd) {
  const std::string text = add_token(directory_.path(), {"ci", Right::works, "p", 200, ""}, 100);
  EXPECT_FALSE(who({{"X-Auth-Token", text}})) << "not read yet";
  tokens_.refresh(log_);
  const auto caller = who({{"X-Auth-Token", text}});
  ASSERT_TRUE(caller);
  EXPECT_EQ(caller->principal, "token ci");
  EXPECT_EQ(caller->right, Right::works);
  EXPECT_EQ(caller->project, "p");
  EXPECT_FALSE(who({{"X-Auth-Token", text}}, "192.0.2.9", false, 200));
}

TEST_F(AccessTest, ATokenThatWasJustMadeHoldsAtOnce) {
  const auto asks = [&](const std::string& text) {
    ServedRequest request;
    request.headers = {{"X-Auth-Token", text}};
    request.peer = "192.0.2.9";
    return identify(request, {&tokens_, false, [&] { tokens_.refresh(log_); }}, *engine_, 100);
  };
  EXPECT_TRUE(asks(add_token(directory_.path(), {"ci", Right::works, "p", 200, ""}, 100)));
  EXPECT_FALSE(asks("nobody's"));
}

TEST_F(AccessTest, ThisMachineIsTrustedOnlyWhereThatIsWanted) {
  EXPECT_FALSE(who({}, "127.0.0.1"));
  EXPECT_TRUE(who({}, "127.0.0.1", true)->right == Right::everything);
  EXPECT_TRUE(who({}, "::1", true)->right == Right::everything);
  EXPECT_FALSE(who({}, "192.0.2.9", true));
}

TEST_F(AccessTest, WithoutAConfiguredTokenAnEmptyOneOpensNothing) {
  ServedRequest request;
  request.headers = {{"X-Auth-Token", ""}};
  EXPECT_FALSE(identify(request, {nullptr, false}, *engine_, 100));
  EXPECT_FALSE(identify(request, {&tokens_, false}, *engine_, 100));
}

TEST_F(AccessTest, AnAgentsTokenHoldsForItsTimeAndItsKeyOnly) {
  create("s1", k_one_server);
  const std::string key = at("s1", "d1").deployment.key_id;
  const std::string token = agent_token(key, engine_->access_key(key)->secret, 200);
  const auto agent = who({{"X-Auth-Token", token}});
  ASSERT_TRUE(agent);
  EXPECT_TRUE(agent->is_agent());
  EXPECT_EQ(agent->principal, "agent " + key);
  EXPECT_EQ(agent->key_id, key);
  EXPECT_FALSE(who({{"X-Auth-Token", token}}, "192.0.2.9", true, 200));
  EXPECT_FALSE(who({{"X-Auth-Token", replace_all(token, ".200.", ".900.")}}));
  EXPECT_FALSE(who({{"X-Auth-Token", "agent.x.900.y"}}, "127.0.0.1", true));
}

}  // namespace
}  // namespace hearth::metadata::live
