#include "agent/signal/resend.hpp"

#include <gtest/gtest.h>

#include "tests/fakes/manual_clock.hpp"
#include "tests/fakes/memory_file_system.hpp"
#include "tests/fakes/memory_logger.hpp"
#include "tests/fakes/scripted_http.hpp"

namespace hearth::agent {
namespace {

class ResendTest : public testing::Test {
 protected:
  ResendTest() {
    files_.put("/d/a.json", R"({"id": "a", "inputs": [{"name": "deploy_signal_id", "value": "http://h/a"}]})");
  }
  int resend() {
    return resend_pending_signals({files_, log_, {http_, clock_, [] { return 0.0; }}}, "/d");
  }
  SignalRecord::State state(const std::string& id) { return journal_.load(id)->state; }

  fakes::MemoryFileSystem files_;
  fakes::MemoryLogger log_;
  fakes::ScriptedHttp http_;
  fakes::ManualClock clock_;
  SignalJournal journal_{files_, "/d"};
};

TEST_F(ResendTest, APendingSignalIsSentAndDone) {
  journal_.store("a", {.data = {{"k", 1}}});
  http_.on("POST", "http://h/a", 200);
  EXPECT_EQ(resend(), 0);
  EXPECT_EQ(http_.sent.at(0).body, R"({"k": 1})");
  EXPECT_EQ(state("a"), SignalRecord::State::delivered);
  EXPECT_EQ(resend(), 0);
  EXPECT_EQ(http_.sent.size(), 1U);
}

TEST_F(ResendTest, AFailureIsTriedAgainOnlyWhenItIsDue) {
  journal_.store("a", {.data = {{"k", 1}}});
  EXPECT_EQ(resend(), 1);
  EXPECT_EQ(resend(), 1);
  EXPECT_EQ(http_.sent.size(), 1U);
  clock_.advance(std::chrono::seconds(31));
  http_.on("POST", "http://h/a", 200);
  EXPECT_EQ(resend(), 0);
}

TEST_F(ResendTest, WhatIsInMemoryIsSentAndGoesBackToADiskThatTakesIt) {
  journal_.store("a", {.state = SignalRecord::State::running, .owner = "boot/1/1"});
  files_.fail_writes_below("/d");
  journal_.settle("a", {.data = {{"k", 1}}});
  http_.on("POST", "http://h/a", 503);
  EXPECT_EQ(resend(), 1);
  EXPECT_EQ(http_.sent.at(0).body, R"({"k": 1})");
  files_.fail_writes_below("/elsewhere");
  EXPECT_EQ(resend(), 1);
  EXPECT_EQ(files_.list("/run/d"), std::vector<std::string>{});
  EXPECT_EQ(state("a"), SignalRecord::State::pending);
  EXPECT_EQ(http_.sent.size(), 1U) << "it waits as it would on the disk";
}

TEST_F(ResendTest, AKillWhileHeatIsToldOfWhatDidNotRunLeavesNoMarkThatItDid) {
  journal_.store("a", {.data = {{"k", 1}}, .deployment = *journal_.deployment("a", {})});
  http_.on("POST", "http://h/a", 200);
  EXPECT_EQ(resend(), 0);
  EXPECT_EQ(http_.sent.size(), 1U);
  EXPECT_FALSE(files_.status("/d/a.json"));
}

TEST_F(ResendTest, AClockThatWasSetBackDoesNotHoldASignalForYears) {
  journal_.store("a", {.data = {{"k", 1}}, .next_attempt = 1'000'000'000});
  http_.on("POST", "http://h/a", 200);
  EXPECT_EQ(resend(), 0);
}

TEST_F(ResendTest, ManySignalsToASilentServerDoNotHoldUpTheNextPoll) {
  http_.on("POST", "http://h/a", [this](const HttpRequest&) -> HttpResponse {
    clock_.advance(std::chrono::seconds(10));
    throw Error(ErrorKind::io, "no answer");
  });
  for (const char* id : {"a", "b", "c", "d", "e"}) {
    files_.put(cat("/d/", id, ".json"), files_.files.at("/d/a.json").data);
    journal_.store(id, {.data = {{"k", 1}}});
  }
  EXPECT_EQ(resend(), 5);
  EXPECT_EQ(http_.sent.size(), 3U);
}

TEST_F(ResendTest, ALostHookIsSignalledAsAFailure) {
  journal_.store("a", {.state = SignalRecord::State::running, .owner = "otherboot/1/2"});
  http_.on("POST", "http://h/a", 200);
  EXPECT_EQ(resend(), 0);
  EXPECT_NE(http_.sent.at(0).body.find("\"deploy_status_code\": 1"), std::string::npos);
}

TEST_F(ResendTest, AnAnswerThatWasKeptIsSignalledThoughTheAgentWasKilled) {
  journal_.store("a", {.state = SignalRecord::State::running, .owner = "otherboot/1/2"});
  files_.put("/d/a.notify.json", R"({"deploy_status_code": 0})");
  http_.on("POST", "http://h/a", 200);
  EXPECT_EQ(resend(), 0);
  EXPECT_EQ(http_.sent.at(0).body, R"({"deploy_status_code": 0})");
}

TEST_F(ResendTest, AHookThatHadNotBegunIsForgottenSoThatItRuns) {
  journal_.store("b", {.state = SignalRecord::State::running, .owner = "otherboot/1/2"});
  EXPECT_EQ(resend(), 0);
  EXPECT_FALSE(journal_.load("b"));
}

TEST_F(ResendTest, ARunningHookIsLeftAlone) {
  files_.put("/proc/7/stat", "7 (x y) S 1 2 3 4 5 6 7 8 9 10 11 12 13 14 15 16 17 18 99 20");
  files_.put("/proc/sys/kernel/random/boot_id", "boot\n");
  journal_.store("a", {.state = SignalRecord::State::running, .owner = process_identity(files_, 7)});
  EXPECT_EQ(resend(), 0);
  EXPECT_TRUE(http_.sent.empty());
  EXPECT_EQ(state("a"), SignalRecord::State::running);
}

TEST_F(ResendTest, ASignalWithoutItsDeploymentIsGivenUp) {
  journal_.store("gone", {.data = {{"k", 1}}});
  EXPECT_EQ(resend(), 0);
  EXPECT_EQ(state("gone"), SignalRecord::State::refused);
}

}  // namespace
}  // namespace hearth::agent
