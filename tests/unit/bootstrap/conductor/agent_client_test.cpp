#include "bootstrap/conductor/agent_client.hpp"

#include <gtest/gtest.h>

#include "base/text.hpp"
#include "tests/fakes/running_server.hpp"

namespace hearth::bootstrap {
namespace {

/// An agent that answers what its test says.
class AgentServer final : public HttpHandler {
 public:
  std::string target, body;
  ServedResponse next;
  [[nodiscard]] ServedResponse answer(const ServedRequest& request) override {
    target = cat(request.method, " ", request.target);
    body = request.body;
    return next;
  }
  void says(int status, std::string text) {
    next = {};
    next.status = status;
    next.body = std::move(text);
  }
};

class AgentClientTest : public ::testing::Test {
 protected:
  AgentServer handler;
  fakes::RunningServer server{handler};
  SystemClock clock;
  HttpAgentClient client{clock, std::chrono::seconds(10)};
  AgentAddress agent{server.url(""), "tok en", ""};

  AgentFault::Reason reason() {
    try {
      static_cast<void>(client.commands(agent));
    } catch (const AgentFault& fault) {
      return fault.reason();
    }
    ADD_FAILURE() << "no fault";
    return AgentFault::Reason::failed;
  }
};

TEST_F(AgentClientTest, ordersAndListsGoToTheAgentsPathsWithTheToken) {
  handler.says(200, R"({"id": "7", "command_status": "RUNNING"})");
  EXPECT_EQ(client.run(agent, {"standby.power_off", Json::object(), false, true})["id"], "7");
  EXPECT_EQ(handler.target, "POST /v1/commands/?wait=false&agent_token=tok%20en");
  EXPECT_EQ(Json::parse(handler.body), Json::parse(R"({"name": "standby.power_off", "params": {}})"));
  handler.says(200, R"({"commands": [{"id": "7"}]})");
  EXPECT_EQ(client.commands(agent).size(), 1U);
}

TEST_F(AgentClientTest, noAgentIsAskedWhileAnotherSeedMayServe) {
  handler.says(200, R"({"id": "7"})");
  bool is_over = true;
  HttpAgentClient resting(clock, std::chrono::seconds(10), nullptr, [&] { return is_over; });
  const Order order{"standby.power_off", Json::object(), false, true};
  EXPECT_THROW(static_cast<void>(resting.run(agent, order)), AgentFault);
  EXPECT_EQ(handler.target, "");
  is_over = false;
  EXPECT_EQ(resting.run(agent, order)["id"], "7");
}

TEST_F(AgentClientTest, whatGoesWrongHasItsReason) {
  handler.says(409, R"({"faultstring": "Agent is busy"})");
  EXPECT_EQ(reason(), AgentFault::Reason::busy);
  handler.says(401, R"({"faultstring": "Token invalid."})");
  EXPECT_EQ(reason(), AgentFault::Reason::refused);
  handler.says(500, "x");
  EXPECT_EQ(reason(), AgentFault::Reason::failed);
  handler.says(200, "no json");
  EXPECT_EQ(reason(), AgentFault::Reason::failed);
  agent.url = "not a url";
  EXPECT_EQ(reason(), AgentFault::Reason::failed);
  agent.url = "http://127.0.0.1:1";
  EXPECT_EQ(reason(), AgentFault::Reason::unreachable);
}

TEST(AgentAnswers, errorsAreReadInAllTheirForms) {
  EXPECT_EQ(command_error(Json::parse(R"({"command_error": {"message": "a", "details": "b"}})")), "a: b");
  EXPECT_EQ(command_error(Json::parse(R"({"command_error": {"message": "a b", "details": "b"}})")), "a b");
  EXPECT_EQ(command_error(Json::parse(R"({"command_error": "text"})")), "text");
  EXPECT_EQ(command_error(Json::parse(R"({})")), "no reason given");
  EXPECT_EQ(command_status(Json::parse(R"({"command_status": "FAILED"})")), "FAILED");
}

}  // namespace
}  // namespace hearth::bootstrap
