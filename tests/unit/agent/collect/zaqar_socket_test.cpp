#include "agent/collect/zaqar_socket.hpp"

#include <gmock/gmock.h>

#include "base/python_json.hpp"
#include "base/text.hpp"
#include "tests/fakes/manual_clock.hpp"
#include "tests/fakes/scripted_messages.hpp"

namespace hearth::agent {
namespace {

class ZaqarSocketTest : public testing::Test {
 protected:
  ZaqarSocketTest() {
    for (int i = 0; i < 3; ++i) script_.answers.emplace_back(R"({"headers": {"status": 200}, "body": {}})");
  }
  std::optional<Json> pop() {
    const Deadline deadline = Deadline::after(std::chrono::seconds(30), clock_);
    return pop_by_socket(*script_.dial({}, {}, deadline), {"tok", "proj", "uuid", "q"}, clock_, deadline);
  }
  fakes::ScriptedMessages script_;
  fakes::ManualClock clock_;
};

TEST_F(ZaqarSocketTest, AWaitingMessageIsPopped) {
  script_.answers.emplace_back(R"({"headers": {"status": 200}, "body": {"messages": [{"body": {"k": 1}}]}})");
  EXPECT_EQ(pop(), Json({{"k", 1}}));
  EXPECT_THAT(
      script_.sent,
      testing::ElementsAre(
          R"({"action": "authenticate", "headers": {"Client-ID": "uuid", "X-Project-ID": "proj", "X-Auth-Token": "tok"}, "body": {}})",
          R"({"action": "queue_create", "headers": {"Client-ID": "uuid", "X-Project-ID": "proj"}, "body": {"queue_name": "q"}})",
          R"({"action": "subscription_create", "headers": {"Client-ID": "uuid", "X-Project-ID": "proj"}, "body": {"queue_name": "q", "ttl": 10000}})",
          R"({"action": "message_delete_many", "headers": {"Client-ID": "uuid", "X-Project-ID": "proj"}, "body": {"queue_name": "q", "pop": 1}})"));
}

TEST_F(ZaqarSocketTest, OnAnEmptyQueueTheNextMessageIsWaitedFor) {
  script_.answers.emplace_back(R"({"headers": {"status": 200}, "body": {"messages": []}})");
  script_.answers.emplace_back(R"({"body": {"k": 2}, "ttl": 60})");
  EXPECT_EQ(pop(), Json({{"k", 2}}));
}

TEST_F(ZaqarSocketTest, SilenceUntilTheDeadlineIsNothing) {
  script_.answers.emplace_back(R"({"headers": {"status": 200}, "body": {"messages": []}})");
  script_.at_silence = [this] { clock_.advance(std::chrono::seconds(31)); };
  EXPECT_EQ(pop(), std::nullopt);
}

TEST_F(ZaqarSocketTest, ARefusedStepIsAnError) {
  script_.answers.front() = R"({"headers": {"status": 403}, "body": {"error": "no"}})";
  EXPECT_THROW((void)pop(), Error);
  EXPECT_EQ(script_.sent.size(), 1U);
}

TEST_F(ZaqarSocketTest, GarbageIsAnError) {
  for (const char* text : {"{", "[]", R"({"headers": [], "body": 1})", R"({"headers": {"status": "200"}})"}) {
    script_.answers.front() = text;
    EXPECT_THROW((void)pop(), Error) << text;
    script_.answers.emplace_front("x");
  }
}

}  // namespace
}  // namespace hearth::agent
