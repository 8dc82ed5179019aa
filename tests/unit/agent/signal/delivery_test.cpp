#include "agent/signal/delivery.hpp"

#include <gtest/gtest.h>

#include "tests/fakes/manual_clock.hpp"
#include "tests/fakes/scripted_http.hpp"

namespace hearth::agent {
namespace {

using std::chrono::seconds;

Json inputs(std::initializer_list<std::pair<const char*, Json>> values) {
  Json list = Json::array();
  for (const auto& [name, value] : values) list.push_back({{"name", name}, {"value", value}});
  return {{"inputs", list}};
}

class DeliveryTest : public testing::Test {
 protected:
  DeliveryTest() {
    http_.on(
        "POST", "http://k/v3/auth/tokens", 201,
        R"({"token": {"catalog": [{"type": "orchestration", "endpoints": [{"interface": "public", "url": "http://heat/v1"}]},
                {"type": "messaging", "endpoints": [{"interface": "public", "url": "http://zaqar"}]}]}})",
        {{"X-Subject-Token", "tok"}});
  }
  DeliveryResult deliver_to(const Json& deployment) {
    return deliver(deployment, data_, {http_, clock_, [] { return 0.0; }}, policy_);
  }

  fakes::ScriptedHttp http_;
  fakes::ManualClock clock_;
  RetryPolicy policy_;
  Json data_ = {{"deploy_stdout", "x"}, {"deploy_status_code", 0}};
  Json url_ = inputs({{"deploy_signal_id", "http://h/sig?s=secret"}});
  Json heat_ = inputs(
      {{"deploy_auth_url", "http://k/v3"}, {"deploy_stack_id", "name/uuid"}, {"deploy_resource_name", "my res"}});
};

TEST_F(DeliveryTest, AUrlSignalIsPostedAsJson) {
  http_.on("POST", "http://h/sig?s=secret", 200);
  EXPECT_EQ(deliver_to(url_).outcome, Delivery::delivered);
  EXPECT_EQ(http_.sent[0].body, R"({"deploy_stdout": "x", "deploy_status_code": 0})");
  EXPECT_EQ(find_header(http_.sent[0].headers, "Content-Type"), "application/json");
}

TEST_F(DeliveryTest, APostIsRepeatedAfterServerErrorsAndBrokenConnections) {
  http_.on("POST", "http://h/sig?s=secret", 503);
  http_.refuse("POST", "http://h/sig?s=secret");
  http_.on("POST", "http://h/sig?s=secret", 200);
  const MonotonicTime begin = clock_.now();
  EXPECT_EQ(deliver_to(url_).outcome, Delivery::delivered);
  EXPECT_EQ(http_.sent.size(), 3U);
  EXPECT_EQ(clock_.now() - begin, seconds(1));
}

TEST_F(DeliveryTest, ARedirectIsFollowedAndTheSignalStaysASignal) {
  for (const int status : {301, 302, 303, 307, 308}) {
    fakes::ScriptedHttp http;
    http.on("POST", "http://h/sig?s=secret", status, "", {{"Location", "https://h/sig?s=secret"}});
    http.on("POST", "https://h/sig?s=secret", 200);
    const DeliveryResult result = deliver(url_, data_, {http, clock_, [] { return 0.0; }}, policy_);
    EXPECT_EQ(result.outcome, Delivery::delivered) << status << ": " << result.reason;
    ASSERT_EQ(http.sent.size(), 2U);
    EXPECT_EQ(http.sent[1].body, http.sent[0].body);
    EXPECT_EQ(find_header(http.sent[1].headers, "Content-Type"), "application/json");
  }
}

TEST_F(DeliveryTest, ARedirectInACircleOrToNowhereIsNoRefusal) {
  http_.on("POST", "http://h/sig?s=secret", 307, "", {{"Location", "/sig?s=secret"}});
  EXPECT_EQ(deliver_to(url_).outcome, Delivery::later);
  fakes::ScriptedHttp http;
  http.on("POST", "http://h/sig?s=secret", 301);
  EXPECT_EQ(deliver(url_, data_, {http, clock_, [] { return 0.0; }}, policy_).outcome, Delivery::later);
}

TEST_F(DeliveryTest, AWrongRegionOrCertificateIsNotTriedAgainAtOnceAndStaysPending) {
  Json there = heat_;
  there["inputs"].push_back({{"name", "deploy_region_name"}, {"value", "nowhere"}});
  const MonotonicTime begin = clock_.now();
  EXPECT_EQ(deliver_to(there).outcome, Delivery::later);
  EXPECT_EQ(http_.sent.size(), 1U);
  http_.on("POST", "http://h/sig?s=secret", [](const HttpRequest&) -> HttpResponse {
    throw Error(ErrorKind::input, "the certificate of h does not hold: expired");
  });
  EXPECT_EQ(deliver_to(url_).outcome, Delivery::later);
  EXPECT_EQ(http_.sent.size(), 2U);
  EXPECT_EQ(clock_.now(), begin);
}

TEST_F(DeliveryTest, AUrlThatIsNoneIsRefusedAtOnce) {
  const MonotonicTime begin = clock_.now();
  const DeliveryResult result = deliver_to(inputs({{"deploy_signal_id", "mock://h/sig?s=secret"}}));
  EXPECT_EQ(result.outcome, Delivery::refused);
  EXPECT_EQ(result.reason.find("secret"), std::string::npos);
  EXPECT_EQ(clock_.now(), begin);
}

TEST_F(DeliveryTest, AnOutageEndsInLaterWithinTheTotalTime) {
  http_.on("POST", "http://h/sig?s=secret", 500);
  const MonotonicTime begin = clock_.now();
  const DeliveryResult result = deliver_to(url_);
  EXPECT_EQ(result.outcome, Delivery::later);
  EXPECT_LE(clock_.now() - begin, seconds(120));
  EXPECT_GT(http_.sent.size(), 5U);
  EXPECT_EQ(result.reason.find("secret"), std::string::npos) << result.reason;
}

TEST_F(DeliveryTest, ARefusalIsNotRepeated) {
  http_.on("POST", "http://h/sig?s=secret", 404);
  EXPECT_EQ(deliver_to(url_).outcome, Delivery::refused);
  EXPECT_EQ(http_.sent.size(), 1U);
}

TEST_F(DeliveryTest, AHeatSignalGoesToTheResource) {
  http_.on("POST", "http://heat/v1/stacks/name/uuid/resources/my%20res/signal", 204);
  EXPECT_EQ(deliver_to(heat_).outcome, Delivery::delivered);
  EXPECT_EQ(find_header(http_.sent.back().headers, "X-Auth-Token"), "tok");
}

TEST_F(DeliveryTest, ABareStackIdIsLookedUp) {
  http_.on("GET", "http://heat/v1/stacks/uuid", 302, "", {{"Location", "http://heat/v1/stacks/name/uuid"}});
  http_.on("POST", "http://heat/v1/stacks/name/uuid/resources/r/signal", 200);
  EXPECT_EQ(
      deliver_to(
          inputs({{"deploy_auth_url", "http://k/v3"}, {"deploy_stack_id", "uuid"}, {"deploy_resource_name", "r"}}))
          .outcome,
      Delivery::delivered);
}

TEST_F(DeliveryTest, AZaqarSignalIsAMessage) {
  http_.on("POST", "http://zaqar/v2/queues/q/messages", 201);
  EXPECT_EQ(
      deliver_to(inputs({{"deploy_auth_url", "http://k/v3"}, {"deploy_queue_id", "q"}, {"deploy_project_id", "t"}}))
          .outcome,
      Delivery::delivered);
  EXPECT_EQ(http_.sent.back().body,
            R"({"messages": [{"body": {"deploy_stdout": "x", "deploy_status_code": 0}, "ttl": 600}]})");
  EXPECT_EQ(find_header(http_.sent.back().headers, "X-Project-Id"), "t");
  EXPECT_EQ(find_header(http_.sent.back().headers, "Client-ID")->size(), 36U);
}

TEST_F(DeliveryTest, NoTargetIsNothingToDo) { EXPECT_EQ(deliver_to(inputs({})).outcome, Delivery::delivered); }

TEST(Pause, DoublesFromOneSecondToTheLongestWithJitter) {
  const RetryPolicy policy;
  EXPECT_EQ(pause_before(1, policy, 0), Duration::zero());
  EXPECT_EQ(pause_before(2, policy, 0), seconds(1));
  EXPECT_EQ(pause_before(5, policy, 0), seconds(8));
  EXPECT_EQ(pause_before(10, policy, 0), seconds(120));
  EXPECT_EQ(pause_before(5, policy, 1), seconds(6));
}

}  // namespace
}  // namespace hearth::agent
