#include "agent/heat_config/runner.hpp"

#include <gtest/gtest.h>

#include <algorithm>

#include "agent/signal/resend.hpp"
#include "base/python_json.hpp"
#include "tests/fakes/manual_clock.hpp"
#include "tests/fakes/memory_file_system.hpp"
#include "tests/fakes/memory_log_book.hpp"
#include "tests/fakes/memory_logger.hpp"
#include "tests/fakes/scripted_http.hpp"
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
  EXPECT_NE(runner_.ran[0].input->find("was not begun: writing /d/.room: No space left"), std::string::npos);
  EXPECT_EQ(files_.files.count("/run/heat-config-i"), 0U);
}

TEST_F(HeatConfigTest, TheRoomForAResultCanNotBeCompressedAway) {
  files_.put("/d/.room", "cut off");
  (void)run(R"([{"id": "i", "group": "tool", "config": "x"}])");
  const std::string room = data(".room");
  EXPECT_EQ(room.size(), 65536U);
  EXPECT_LT(std::count(room.begin(), room.end(), room.front()), 1000);
}

TEST_F(HeatConfigTest, AResultThatCannotBeKeptIsSignalledAllTheSame) {
  runner_.on("tool", [this](const Command&) -> CommandResult {
    files_.fail_writes_below("/d");
    return {Exited{3}, "", "bad"};
  });
  (void)run(R"([{"id": "i", "group": "tool", "config": "x"}])");
  EXPECT_EQ(programs(), (Names{"/hooks/tool", "/bin/notify /d/i.json"}));
  EXPECT_NE(runner_.ran[1].input->find("\"deploy_status_code\": 3"), std::string::npos);
  EXPECT_EQ(files_.files.count("/d/i.signal"), 0U) << "a failure would be signalled in its place, again and again";
}

/// Cuts the power at the n-th step: each change of a file has one before it and one after it.
class Steps {
 public:
  struct PowerCut {};
  explicit Steps(int left) : left_(left) {}
  void step() {
    if (left_-- == 0) throw PowerCut{};
  }

 private:
  int left_;
};

class CutFiles final : public FileSystem {
 public:
  CutFiles(FileSystem& files, Steps& steps) : files_(files), steps_(steps) {}
  [[nodiscard]] std::optional<std::string> read(const fs::path& path) const override { return files_.read(path); }
  [[nodiscard]] std::optional<FileStatus> status(const fs::path& path) const override { return files_.status(path); }
  [[nodiscard]] std::vector<std::string> list(const fs::path& path) const override { return files_.list(path); }
  void write(const fs::path& path, std::string_view data, const FileAttributes& attributes) override {
    change([&] { files_.write(path, data, attributes); });
  }
  void make_directories(const fs::path& path, std::uint32_t mode) override {
    change([&] { files_.make_directories(path, mode); });
  }
  void remove(const fs::path& path) override {
    change([&] { files_.remove(path); });
  }

 private:
  template <class Work>
  void change(Work work) {
    steps_.step();
    work();
    steps_.step();
  }
  FileSystem& files_;
  Steps& steps_;
};

/// What is left of a run whose power was cut at `step`, once the machine is up again.
struct Survived {
  bool cut = false;
  int hook_runs = 0;
  std::vector<std::string> told;  ///< what Heat heard
};

struct Trouble {
  bool hook_fills_disk = false;
  bool memory_is_lost = true;  ///< by a power cut, not by kill -9
};

Survived survive(const HeatConfigSettings& settings, int step, const Trouble& trouble = {}) {
  Survived survived;
  Steps steps(step);
  fakes::MemoryFileSystem files;
  CutFiles cut_files(files, steps);
  fakes::ScriptedRunner runner;
  fakes::ManualClock clock;
  fakes::MemoryLogger log;
  fakes::MemoryLogBook book;
  fakes::ScriptedHttp http;
  files.put("/hooks/tool", "", 0755);
  files.put("/old/o.json", "{}");
  files.put("/cfg", R"([{"id": "o", "group": "tool", "config": "x"}, {"id": "i", "group": "tool", "config": "x",
                         "inputs": [{"name": "deploy_signal_id", "value": "http://h/i"}]}])");
  http.on("POST", "http://h/i", [&](const HttpRequest& request) {
    survived.told.push_back(request.body);
    return HttpResponse{.status = 200};
  });
  runner.on("tool", [&](const Command&) -> CommandResult {
    steps.step();
    ++survived.hook_runs;
    if (trouble.hook_fills_disk) files.fail_writes_below("/d");
    steps.step();
    return {Exited{0}, R"({"deploy_stdout": "done", "deploy_status_code": 0})", ""};
  });
  runner.on("notify", [&](const Command& command) -> CommandResult {
    steps.step();
    survived.told.push_back(*command.input);
    steps.step();
    return {Exited{0}, "", ""};
  });
  try {
    (void)run_heat_config(settings, {cut_files, runner, clock, log, book, {}, {"/self"}, "boot/1/1"});
  } catch (const Steps::PowerCut&) {
    survived.cut = true;
  }
  steps = Steps(-1);
  if (trouble.memory_is_lost) files.files.erase("/run/d/i.signal");
  for (int boots = 0; boots < 3; ++boots) {
    if (boots == 1) files.fail_writes_below("/elsewhere");
    (void)resend_pending_signals({files, log, {http, clock, [] { return 0.0; }}}, settings.deployed);
    (void)run_heat_config(settings, {files, runner, clock, log, book, {}, {"/self"}, "boot/2/2"});
  }
  return survived;
}

TEST_F(HeatConfigTest, APowerCutAtAnyStepLosesNoSignalAndRepeatsNoHook) {
  int step = 0;
  int runs = 0;
  for (;; ++step) {
    const Survived survived = survive(settings_, step);
    EXPECT_LE(survived.hook_runs, 1) << "step " << step;
    ASSERT_FALSE(survived.told.empty()) << "step " << step;
    if (survived.hook_runs == 0) {  // it was about to begin: nobody can know, and Heat hears that
      EXPECT_NE(survived.told.back().find("its outcome is not known"), std::string::npos) << survived.told.back();
    }
    EXPECT_LE(survived.told.size(), 2U) << "step " << step;
    for (const std::string& told : survived.told) {
      EXPECT_NE(told.find("deploy_status_code"), std::string::npos) << told;
    }
    runs += survived.hook_runs;
    if (!survived.cut) break;
  }
  EXPECT_GT(step, 12);
  EXPECT_GE(runs, step - 1);  // but for the two steps around its beginning it did run
}

TEST_F(HeatConfigTest, SoItIsOnADiskThatTheHookHasFilled) {
  for (const bool memory_is_lost : {true, false}) {
    bool cut = true;
    for (int step = 0; cut; ++step) {
      const Survived survived = survive(settings_, step, {.hook_fills_disk = true, .memory_is_lost = memory_is_lost});
      cut = survived.cut;
      EXPECT_LE(survived.hook_runs, 1) << "step " << step;
      ASSERT_FALSE(survived.told.empty()) << "step " << step;
      EXPECT_LE(survived.told.size(), 2U) << "step " << step;
      EXPECT_TRUE(cut || survived.told == Names{R"({"deploy_stdout": "done", "deploy_status_code": 0})"});
    }
  }
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
