#include "agent/heat_config/runner.hpp"

#include <gtest/gtest.h>

#include "base/python_json.hpp"
#include "tests/fakes/manual_clock.hpp"
#include "tests/fakes/memory_file_system.hpp"
#include "tests/fakes/memory_log_book.hpp"
#include "tests/fakes/memory_logger.hpp"
#include "tests/fakes/scripted_runner.hpp"

namespace hearth::agent {
namespace {

class HeatConfigTest : public testing::Test {
 protected:
  HeatConfigTest() {
    files_.put("/hooks/tool", "", 0755);
    runner_.on("tool", 0, R"({"deploy_status_code": 0})");
    runner_.on("notify", 0);
  }
  int run(const std::string& list) {
    files_.put("/cfg", list, 0644);
    return run_heat_config(settings_, {files_, runner_, clock_, log_, book_, {}, {"/self"}, "me"});
  }
  std::string data(const std::string& name) { return files_.files.at("/d/" + name).data; }
  std::vector<std::string> programs() {
    std::vector<std::string> names;
    for (const Command& command : runner_.ran) names.push_back(join(command.argv, " "));
    return names;
  }

  fakes::MemoryFileSystem files_;
  fakes::ScriptedRunner runner_;
  fakes::ManualClock clock_;
  fakes::MemoryLogger log_;
  fakes::MemoryLogBook book_;
  HeatConfigSettings settings_{.hook_directories = {"/hooks"},
                               .config = "/cfg",
                               .deployed = "/d",
                               .deployed_old = "/old",
                               .notify = "/bin/notify"};
};

using Names = std::vector<std::string>;

TEST_F(HeatConfigTest, AHookRunsOnceAndIsSignalled) {
  const std::string list = R"([{"id": "i", "group": "tool", "config": "x", "inputs": []}])";
  EXPECT_EQ(run(list), 0);
  EXPECT_EQ(programs(), (Names{"/hooks/tool", "/bin/notify /d/i.json"}));
  EXPECT_EQ(runner_.ran[0].input, R"({"id": "i", "group": "tool", "config": "x", "inputs": []})");
  EXPECT_EQ(runner_.ran[1].input, R"({"deploy_status_code": 0})");
  EXPECT_EQ(data("i.notify.json"), "{\n  \"deploy_status_code\": 0\n}");
  EXPECT_NE(data("i.signal").find("delivered"), std::string::npos);
  EXPECT_EQ(files_.files.at("/d/i.json").attributes.mode, 0600U);
  EXPECT_EQ(files_.files.at("/cfg").attributes.mode, 0600U);
  EXPECT_EQ(run(list), 0);
  EXPECT_EQ(runner_.ran.size(), 2U);
  EXPECT_TRUE(log_.holds("already deployed"));
}

TEST_F(HeatConfigTest, AnUndeliveredSignalStaysPendingAndTheHookIsNotRepeated) {
  runner_.on("notify", 1);
  const std::string list = R"([{"id": "i", "group": "tool", "config": "x"}])";
  EXPECT_EQ(run(list), 0);
  EXPECT_NE(data("i.signal").find("pending"), std::string::npos);
  EXPECT_EQ(run(list), 0);
  EXPECT_EQ(runner_.ran.size(), 2U);
}

TEST_F(HeatConfigTest, AMissingHookIsSignalledOnceAndMayStillComeLater) {
  const std::string list = R"([{"id": "i", "group": "no-such", "config": "x"}])";
  (void)run(list);
  (void)run(list);
  EXPECT_EQ(programs(), Names{"/bin/notify /d/i.json"});
  EXPECT_NE(runner_.ran[0].input->find("There is no hook for group no-such"), std::string::npos);
  EXPECT_EQ(files_.files.count("/d/i.json"), 0U);
  files_.put("/hooks/no-such", "", 0755);
  runner_.on("no-such", 0, "{}");
  (void)run(list);
  EXPECT_EQ(runner_.ran.size(), 3U);
}

TEST_F(HeatConfigTest, AHookThatCannotStartIsSignalled) {
  files_.put("/hooks/broken", "", 0644);
  (void)run(R"([{"id": "i", "group": "broken", "config": "x"}])");
  EXPECT_NE(data("i.notify.json").find("\"deploy_status_code\": 127"), std::string::npos);
}

TEST_F(HeatConfigTest, HooksAreBuiltInUnlessThereIsAFile) {
  runner_.on("self", 0, "{}");
  (void)run(R"([{"id": "i", "group": "script", "config": "x"}])");
  EXPECT_EQ(programs().at(0), "/self heat-config-hook script");
  files_.put("/hooks/script", "", 0755);
  runner_.on("script", 0, "{}");
  (void)run(R"([{"id": "j", "group": "script", "config": "x"}])");
  EXPECT_EQ(programs().at(2), "/hooks/script");
}

TEST_F(HeatConfigTest, OneBadDeploymentDoesNotStopTheOthers) {
  EXPECT_EQ(
      run(R"([3, {"id": "../x", "group": "tool"}, {"group": "tool"}, {"id": "u", "group": "Heat::Ungrouped"}, {"id": "i", "group": "tool", "config": "x"}])"),
      0);
  EXPECT_EQ(programs(), (Names{"/hooks/tool", "/bin/notify /d/i.json"}));
}

TEST_F(HeatConfigTest, AMissingConfigIsAnErrorAndABadOneIsNot) {
  EXPECT_EQ(run_heat_config(settings_, {files_, runner_, clock_, log_, book_, {}, {"/self"}, "me"}), 1);
  EXPECT_EQ(run(""), 0);
  EXPECT_EQ(run("{}"), 0);
}

TEST_F(HeatConfigTest, TheOldDeployedDirectoryIsTakenOver) {
  files_.put("/old/i.json", "{}");
  (void)run(R"([{"id": "i", "group": "tool", "config": "x"}])");
  EXPECT_TRUE(runner_.ran.empty());
  EXPECT_EQ(data("i.json"), "{}");
  EXPECT_EQ(files_.files.count("/old/i.json"), 0U);
}

TEST_F(HeatConfigTest, SecretsInAHooksOutputAreNotLogged) {
  runner_.on("tool", 0, R"({"deploy_stdout": "pw is hunter22"})");
  (void)run(
      R"([{"id": "i", "group": "tool", "config": "x", "inputs": [{"name": "db_password", "value": "hunter22"}]}])");
  EXPECT_FALSE(log_.holds("hunter22"));
  EXPECT_TRUE(log_.holds("pw is ***"));
}

TEST_F(HeatConfigTest, WhatAHookSaysIsInTheLogOfItsDeployment) {
  runner_.on("tool", [](const Command& command) -> CommandResult {
    command.on_line(Stream::err, "working");
    return {Exited{0}, "{}", "working\n"};
  });
  (void)run(R"([{"id": "i", "name": "web", "group": "tool", "config": "x"}])");
  EXPECT_EQ(book_.pages.at("i-web"), "working\n");
  EXPECT_TRUE(log_.holds("INFO working"));
}

TEST_F(HeatConfigTest, OnAFullDiskTheHookDoesNotRunAndHeatIsTold) {
  settings_.volatile_directory = "/run";
  files_.make_directories("/run", 0755);
  files_.make_directories("/d", 0700);
  files_.put("/cfg", R"([{"id": "i", "group": "tool", "config": "x"}])", 0600);
  runner_.on("notify", [this](const Command& command) -> CommandResult {
    EXPECT_TRUE(files_.read(command.argv.back())) << "the description must be there for notify";
    return {Exited{0}, "", ""};
  });
  files_.fail_writes_below("/d");
  EXPECT_EQ(run_heat_config(settings_, {files_, runner_, clock_, log_, book_, {}, {"/self"}, "me"}), 0);
  EXPECT_EQ(programs(), Names{"/bin/notify /run/heat-config-i"});
  EXPECT_NE(runner_.ran[0].input->find("was not begun: writing /d/i.json: No space left"), std::string::npos);
  EXPECT_EQ(files_.files.count("/run/heat-config-i"), 0U);
}

TEST_F(HeatConfigTest, AResultThatCannotBeKeptIsSignalledAllTheSame) {
  runner_.on("tool", [this](const Command&) -> CommandResult {
    files_.fail_writes_below("/d");
    return {Exited{3}, "", "bad"};
  });
  (void)run(R"([{"id": "i", "group": "tool", "config": "x"}])");
  EXPECT_EQ(programs(), (Names{"/hooks/tool", "/bin/notify /d/i.json"}));
  EXPECT_NE(runner_.ran[1].input->find("\"deploy_status_code\": 3"), std::string::npos);
}

TEST_F(HeatConfigTest, AServerThatIsAwayIsWaitedForOnlyOnce) {
  runner_.on("notify", 1);
  (void)run(R"([{"id": "i", "group": "tool", "config": "x"}, {"id": "j", "group": "tool", "config": "x"}])");
  EXPECT_EQ(runner_.ran[1].env->count("HEAT_CONFIG_NOTIFY_PATIENCE"), 0U);
  EXPECT_EQ(runner_.ran[3].env->at("HEAT_CONFIG_NOTIFY_PATIENCE"), "0");
}

TEST_F(HeatConfigTest, AHookHasFourHoursUnlessItIsSaidOtherwise) {
  EXPECT_EQ(HeatConfigSettings::from({}).hook_timeout, std::chrono::hours(4));
  EXPECT_EQ(HeatConfigSettings::from({{"HEAT_CONFIG_HOOK_TIMEOUT", "0"}}).hook_timeout, Duration::zero());
  EXPECT_EQ(HeatConfigSettings::from({{"HEAT_CONFIG_HOOK_TIMEOUT", "7"}}).hook_timeout, std::chrono::seconds(7));
}

TEST_F(HeatConfigTest, AConfiguredTimeOutReachesTheHook) {
  settings_.hook_timeout = std::chrono::seconds(5);
  (void)run(R"([{"id": "i", "group": "tool", "config": "x"}])");
  EXPECT_FALSE(runner_.ran[0].deadline.is_never());
}

}  // namespace
}  // namespace hearth::agent
