#include "agent/deploy/rest/face.hpp"

#include <gtest/gtest.h>

#include <atomic>
#include <future>
#include <thread>

#include "base/error.hpp"
#include "tests/fakes/no_threads.hpp"

namespace hearth::agent::deploy {
namespace {

/// An agent with a quick command, a long one that waits for the test, and one that fails.
struct Agent {
  std::promise<void> go;
  CommandBoard board{{{"standby.sync", true, [](const Json&) { return Json(); }, {}},
                      {"standby.long",
                       false,
                       [this](const Json&) {
                         go.get_future().wait();
                         return Json("done");
                       },
                       {}},
                      {"standby.bad", true, [](const Json&) -> Json { throw Error(ErrorKind::io, "no disk"); }, {}},
                      {"standby.picky", true, [](const Json&) { return Json(); },
                       [](const Json&) { throw Error(ErrorKind::usage, "Image is missing 'id' field."); }}},
                     {},
                     own_thread()};
  FaceState state{.started_at = 5, .version = "1", .token = "secret", .progress = {}};

  ServedResponse ask(const std::string& method, const std::string& path, const std::string& query,
                     const std::string& body = "") {
    return answer_request({.method = method, .path = path, .query = query, .headers = {{"Host", "h"}}, .body = body},
                          board, state);
  }
  ServedResponse command(const std::string& name, const std::string& query = "wait=true&agent_token=secret") {
    return ask("POST", "/v1/commands/", query, Json{{"name", name}, {"params", Json::object()}}.dump());
  }
};

TEST(RestFace, FramesOfImagesAreGivenByWhoeverHasThem) {
  Agent agent;
  EXPECT_EQ(agent.ask("GET", "/v1/hearth/image/00ff", "").status, 404);
  agent.state.give = [](const ServedRequest& request) { return ServedResponse{.status = 206, .body = request.path}; };
  EXPECT_EQ(agent.ask("GET", "/v1/hearth/image/00ff", "").body, "/v1/hearth/image/00ff");
  EXPECT_EQ(agent.ask("POST", "/v1/hearth/image/00ff", "").status, 405);
}

Json json(const ServedResponse& response) { return parse_json(response.body, "").value_or_throw(); }

TEST(RestFace, ErrorsAreIronicPythonAgents) {
  struct Case {
    std::string name;
    std::string query;
    int status;
    std::string text;
  };
  const std::string token = "agent_token=secret";
  Agent agent;
  for (const Case& one : {Case{"standby.nope", token, 400, "Invalid command: Unknown command: nope"},
                          Case{"nope.x", token, 404, "Not found: Extension with id nope not found."},
                          Case{"standby.picky", token, 400, "Invalid command parameters: Image is missing 'id' field."},
                          Case{"standby.sync", "agent_token=x", 401, "401 Unauthorized: Token invalid."},
                          Case{"standby.sync", "", 401, "401 Unauthorized: Token invalid."}}) {
    const ServedResponse response = agent.command(one.name, one.query);
    EXPECT_EQ(response.status, one.status) << one.name;
    EXPECT_EQ(json(response)["faultstring"], one.text);
    EXPECT_EQ(json(response)["faultcode"], "Client");
  }
  EXPECT_EQ(agent.ask("POST", "/v1/commands", token, "[").status, 400);
  EXPECT_EQ(agent.ask("GET", "/v1/commands/x", "").status, 404);
  EXPECT_EQ(agent.ask("GET", "/v1/commands", "agent_token=x").status, 401);
  EXPECT_EQ(agent.ask("GET", "/v2", "").status, 404);
}

TEST(RestFace, AQuickCommandIsDoneWhenItIsAnswered) {
  Agent agent;
  const Json record = json(agent.command("standby.sync", "agent_token=secret"));
  EXPECT_EQ(record["command_name"], "sync");
  EXPECT_EQ(record["command_status"], "SUCCEEDED");
  EXPECT_TRUE(record["command_error"].is_null());
  EXPECT_EQ(json(agent.ask("GET", "/v1/commands/", ""))["commands"].size(), 1U);
}

TEST(RestFace, AFailureIsARecord) {
  Agent agent;
  const Json record = json(agent.command("standby.bad"));
  EXPECT_EQ(record["command_status"], "FAILED");
  EXPECT_EQ(record["command_error"]["message"], "no disk");
}

TEST(RestFace, OneCommandRunsAtATimeAndCanBeWaitedFor) {
  Agent agent;
  const Json begun = json(agent.command("standby.long", "wait=false&agent_token=secret"));
  EXPECT_EQ(begun["command_status"], "RUNNING");
  const ServedResponse second = agent.command("standby.sync");
  EXPECT_EQ(second.status, 409);
  EXPECT_EQ(json(second)["faultstring"].get<std::string>().rfind("Agent is busy", 0), 0U);
  agent.go.set_value();
  const Json ended =
      json(agent.ask("GET", "/v1/commands/" + begun["id"].get<std::string>(), "wait=true&agent_token=secret"));
  EXPECT_EQ(ended["command_status"], "SUCCEEDED");
  EXPECT_EQ(ended["command_result"]["result"], "long: done");
}

TEST(RestFace, ALongCommandThatCannotBeBegunHasFailedAndTheNextOneRuns) {
  Agent agent;
  {
    const fakes::NoThreads none;
    const Json record = json(agent.command("standby.long"));
    EXPECT_EQ(record["command_status"], "FAILED");
    EXPECT_EQ(record["command_error"]["message"].get<std::string>().rfind("starting a thread for it: ", 0), 0U);
  }
  agent.go.set_value();
  EXPECT_EQ(json(agent.command("standby.long"))["command_status"], "SUCCEEDED");
}

TEST(RestFace, LongCommandsThatEndAtOnceAreBegunFromAllSides) {
  CommandBoard board({{"standby.brief", false, [](const Json&) { return Json("done"); }, {}}}, {}, own_thread());
  std::atomic<int> begun{0};
  const auto ask_often = [&] {
    while (begun < 100) {
      try {
        (void)board.execute("standby.brief", Json::object(), false);
        ++begun;
      } catch (const Refusal&) {  // busy
      }
    }
  };
  {
    const std::jthread other(ask_often);
    const std::jthread third(ask_often);
    ask_often();
  }
  while (board.busy()) std::this_thread::yield();
  EXPECT_EQ(board.all()["commands"].size(), static_cast<std::size_t>(begun));
}

TEST(RestFace, WhoDoesNotKnowTheTokenIsNotWaitedWith) {
  Agent agent;
  const Json begun = json(agent.command("standby.long", "agent_token=secret"));
  const std::string path = "/v1/commands/" + begun["id"].get<std::string>();
  auto answer = std::async(std::launch::async, [&] { return json(agent.ask("GET", path, "wait=true")); });
  EXPECT_EQ(answer.wait_for(std::chrono::seconds(20)), std::future_status::ready);
  agent.go.set_value();
  EXPECT_EQ(answer.get()["command_status"], "RUNNING");
}

TEST(RestFace, ParamsAreAnObject) {
  Agent agent;
  for (const char* params : {"null", "[]", "7", "\"x\""}) {
    const std::string body = std::string(R"({"name":"standby.sync","params":)") + params + "}";
    EXPECT_EQ(agent.ask("POST", "/v1/commands", "agent_token=secret", body).status, 400) << params;
  }
}

TEST(RestFace, StatusAndRootAreThere) {
  Agent agent;
  EXPECT_EQ(json(agent.ask("GET", "/v1/status", ""))["started_at"], 5);
  EXPECT_EQ(json(agent.ask("GET", "/", ""))["default_version"]["id"], "v1");
  EXPECT_EQ(json(agent.ask("GET", "/v1/", ""))["commands"][0]["href"], "http://h/v1/commands");
}

}  // namespace
}  // namespace hearth::agent::deploy
