#include "agent/collect/loop.hpp"

#include <gmock/gmock.h>

#include <csignal>

#include "agent/collect/backoff.hpp"
#include "tests/unit/agent/collect/source_fixture.hpp"

namespace hearth::agent {
namespace {

using testing::ElementsAre;

/// Records the pauses, in seconds, and wakes the loop up for a reload at the end of its script.
class ScriptedPause final : public Pause {
 public:
  explicit ScriptedPause(std::size_t count) : left_(count) {}
  std::vector<double> pauses;
  std::function<void()> meanwhile = [] {};
  Wake wait(Duration duration) override {
    pauses.push_back(std::chrono::duration<double>(duration).count());
    meanwhile();
    return pauses.size() < left_ ? Wake::elapsed : Wake::reload;
  }

 private:
  std::size_t left_;
};

class LoopTest : public SourceFixture {
 protected:
  LoopTest() {
    files_.put("/l/x", "1");
    files_.put("/etc/c.conf", "");
  }
  LoopEnd run(LoopPlan plan, std::size_t pauses = 1) {
    plan.sources = {"local"};
    plan.command = "cmd";
    plan.backup = "/b";
    plan.config_files = {"/etc/c.conf"};
    pause_ = ScriptedPause(pauses);
    pause_.meanwhile = meanwhile_;
    const Settings settings(parse_ini("[local]\npath=/l\n", "test").value_or_throw(), {}, {});
    const SourceContext context{settings, files_, runner_, http_, clock_, log_, once_, tokens_, messages_, 0};
    return run_loop(plan, {context, cache_, pause_, [this] { ++polls_; },
                           [this](DaemonState::Doing doing, std::int64_t seconds) {
                             told_ += cat(doing_name(doing), seconds > 0 ? cat(" ", seconds) : "", "\n");
                           }});
  }
  Cache cache_{"/c", files_, log_};
  ScriptedPause pause_{1};
  std::function<void()> meanwhile_ = [] {};
  int polls_ = 0;
  std::string told_;
};

TEST_F(LoopTest, OneTimeEndsWithTheCommandsStatus) {
  runner_.on("sh", 3);
  const LoopEnd end = run({.one_time = true});
  EXPECT_FALSE(end.restart);
  EXPECT_EQ(end.status, 3);
  EXPECT_TRUE(pause_.pauses.empty());
}

TEST_F(LoopTest, WhatItDoesIsTold) {
  runner_.on("sh", 0);
  (void)run({.min_pause = 1.5, .max_pause = 3}, 2);
  EXPECT_EQ(told_, "polling\nrunning\nwaiting 2\npolling\nwaiting 3\n");
}

TEST_F(LoopTest, ForceRunsTheCommandWithoutChanges) {
  runner_.on("sh", 0);
  EXPECT_EQ(run({.one_time = true}).status, 0);
  EXPECT_EQ(run({.one_time = true}).status, 0);
  EXPECT_EQ(runner_.ran.size(), 1U);
  EXPECT_EQ(run({.one_time = true, .force = true}).status, 0);
  EXPECT_EQ(runner_.ran.size(), 2U);
}

TEST_F(LoopTest, PausesDoubleUpToTheLongest) {
  runner_.on("sh", 0);
  EXPECT_TRUE(run({.min_pause = 0.5, .max_pause = 3}, 5).restart);
  EXPECT_THAT(pause_.pauses, ElementsAre(0.5, 1, 2, 3, 3));
  EXPECT_EQ(polls_, 5);
}

TEST_F(LoopTest, AChangeShortensThePauseAgain) {
  runner_.on("sh", 0);
  meanwhile_ = [this] {
    if (pause_.pauses.size() == 3) files_.put("/l/x", "2");
  };
  (void)run({.min_pause = 1, .max_pause = 30}, 5);
  EXPECT_THAT(pause_.pauses, ElementsAre(1, 2, 4, 1, 2));
}

TEST_F(LoopTest, TheSwitchKeepsThePausesGrowing) {
  runner_.on("sh", 0);
  meanwhile_ = [this] {
    if (pause_.pauses.size() == 3) files_.put("/l/x", "2");
  };
  (void)run({.reset_on_change = false, .min_pause = 1, .max_pause = 30}, 5);
  EXPECT_THAT(pause_.pauses, ElementsAre(1, 2, 4, 8, 16));
}

TEST_F(LoopTest, AFailingCommandIsRepeatedWithGrowingPauses) {
  runner_.on("sh", 1);
  (void)run({.min_pause = 1, .max_pause = 30}, 3);
  EXPECT_THAT(pause_.pauses, ElementsAre(1, 2, 4));
  EXPECT_EQ(runner_.ran.size(), 3U);
}

TEST_F(LoopTest, ACommandThatFailsAllTheTimeIsRunEverMoreRarely) {
  runner_.on("sh", 1);
  meanwhile_ = [this] { clock_.advance(std::chrono::seconds(10)); };
  (void)run({.min_pause = 10, .max_pause = 10}, 40);
  EXPECT_EQ(runner_.ran.size(), 11U);  // six at each poll; then 20, 40, 80 and 160 seconds between, and 200 at most
}

TEST_F(LoopTest, NewMetadataAreAppliedAtOnceAfterFailures) {
  runner_.on("sh", 1);
  meanwhile_ = [this] {
    clock_.advance(std::chrono::seconds(10));
    if (pause_.pauses.size() == 15) files_.put("/l/x", "2");
  };
  (void)run({.min_pause = 10, .max_pause = 10}, 16);
  EXPECT_EQ(runner_.ran.size(), 10U);  // nine with the old ones
}

TEST_F(LoopTest, AConfigurationWrittenByTheCommandRestartsTheProgram) {
  runner_.on("sh", [this](const Command&) {
    files_.put("/etc/c.conf", "new");
    return CommandResult{Exited{0}, "", ""};
  });
  EXPECT_TRUE(run({}, 10).restart);
  EXPECT_TRUE(pause_.pauses.empty());
}

TEST_F(LoopTest, AFullDiskDoesNotEndTheLoop) {
  runner_.on("sh", 0);
  files_.fail_write_after(0);
  EXPECT_TRUE(run({}, 3).restart);
  EXPECT_EQ(pause_.pauses.size(), 3U);
  EXPECT_EQ(run({.one_time = true}).status, 1);
}

TEST_F(LoopTest, NoRoomForAThreadOrInMemoryDoesNotEndTheLoop) {
  runner_.on("sh", [](const Command&) -> CommandResult { throw std::bad_alloc(); });
  EXPECT_TRUE(run({}, 3).restart);
  EXPECT_EQ(pause_.pauses.size(), 3U);
}

TEST(BackoffTest, AMinimumAboveTheMaximumIsTakenOnce) {
  Backoff backoff(5, 2);
  EXPECT_EQ(backoff.take(), 5);
  EXPECT_EQ(backoff.take(), 2);
  EXPECT_EQ(backoff.take(), 2);
}

TEST(SignalPauseTest, AHangupThatCameBeforeIsNotLost) {
  SignalPause pause;
  EXPECT_EQ(pause.wait(std::chrono::milliseconds(1)), Wake::elapsed);
  ::raise(SIGHUP);
  EXPECT_EQ(pause.wait(std::chrono::seconds(30)), Wake::reload);
}

TEST(PlanLoopTest, ForceImpliesOneTime) {
  const Settings settings(parse_ini("[DEFAULT]\nforce=1\n", "t").value_or_throw(), {}, {});
  EXPECT_TRUE(plan_loop(settings, {}).one_time);
}

}  // namespace
}  // namespace hearth::agent
