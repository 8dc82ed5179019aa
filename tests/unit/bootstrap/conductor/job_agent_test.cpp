// The stages of bootstrap/conductor/job_agent.cpp.
#include "tests/unit/bootstrap/conductor_fixture.hpp"

namespace hearth::bootstrap {
namespace {

class JobAgent : public ConductorFixture {
 protected:
  /// A node whose agent has called back and writes.
  std::string writing() {
    agents.rounds = 1000;
    const std::string uuid = add("fake-hardware");
    conductor->verb(uuid, "deploy", {});
    pass(3);
    token = agent_calls(uuid);
    pass(4);
    EXPECT_EQ(node(uuid).job.stage, Stage::write_image);
    return uuid;
  }
  std::string token;
};

TEST_F(JobAgent, whatTheAgentSaysOfAFailureIsWhatPeopleRead) {
  agents.failing = {"execute_deploy_step"};
  const std::string uuid = add("fake-hardware");
  conductor->verb(uuid, "deploy", {});
  pass(3);
  agent_calls(uuid);
  pass(8);
  EXPECT_EQ(node(uuid).state, State::deploy_failed);
  EXPECT_EQ(node(uuid).last_error,
            cat("Agent returned error for write image on node ", uuid, ": it broke: for a reason"));
  EXPECT_EQ(agents.count("log.collect_system_logs"), 1U);
}

TEST_F(JobAgent, theMachineOfAFailedDeploymentGoesOffWhenItsLogsAreHere) {
  const std::string uuid = writing();
  EXPECT_EQ(node(uuid).power, Power::on);
  agents.failing = {"execute_deploy_step"};
  agents.rounds = 0;
  for (int i = 0; i < 60 && node(uuid).state != State::deploy_failed; ++i) pass(1);
  EXPECT_TRUE(node(uuid).internal.contains("power_off_wanted") || node(uuid).power == Power::off);
  const std::string why = node(uuid).last_error;
  pass(3);
  EXPECT_EQ(agents.count("log.collect_system_logs"), 1U);
  EXPECT_EQ(node(uuid).power, Power::off);
  EXPECT_EQ(node(uuid).last_error, why);
  EXPECT_FALSE(node(uuid).internal.contains("power_off_wanted"));
}

TEST_F(JobAgent, itsBmcIsAskedAgainAlsoByTheNextConductor) {
  const std::string uuid = writing();
  agents.silent = true;
  conductor->ledger().edit(uuid).driver_info["fake_fault"] = "unreachable";
  pass(620);
  EXPECT_EQ(node(uuid).state, State::deploy_failed);
  EXPECT_EQ(node(uuid).power, Power::on);
  start();
  conductor->ledger().edit(uuid).driver_info.erase("fake_fault");
  pass(20);
  EXPECT_EQ(node(uuid).power, Power::off);
}

TEST_F(JobAgent, aMachineIsLeftAloneWhereThatIsAskedForOrNothingWasBegun) {
  settings.power_off_after_deploy_failure = false;
  start();
  const std::string uuid = writing();
  agents.failing = {"execute_deploy_step"};
  agents.rounds = 0;
  pass(20);
  EXPECT_EQ(node(uuid).state, State::deploy_failed);
  EXPECT_EQ(node(uuid).power, Power::on);
  EXPECT_FALSE(node(uuid).internal.contains("power_off_wanted"));
  settings.power_off_after_deploy_failure = true;
  start();
  conductor->ledger().edit(uuid).instance_info["image_source"] = "file:///i.raw";
  EXPECT_THROW(conductor->verb(uuid, "deploy", {}), Refusal) << "its image is none that a machine can fetch";
  pass(5);
  EXPECT_EQ(node(uuid).state, State::deploy_failed);
  EXPECT_EQ(node(uuid).power, Power::on);
}

TEST_F(JobAgent, anAgentThatFallsSilentIsLostAfterItsTime) {
  const std::string uuid = writing();
  agents.silent = true;
  pass(500);
  EXPECT_EQ(node(uuid).state, State::deploying);
  pass(120);
  EXPECT_EQ(node(uuid).state, State::deploy_failed);
  EXPECT_NE(node(uuid).last_error.find("has not answered since"), std::string::npos);
}

TEST_F(JobAgent, aShortSilenceIsForgiven) {
  const std::string uuid = writing();
  agents.silent = true;
  pass(30);
  agents.silent = false;
  agents.rounds = 0;
  pass(15);
  EXPECT_EQ(node(uuid).state, State::active) << node(uuid).last_error;
  EXPECT_EQ(agents.count("execute_deploy_step"), 1U);
}

TEST_F(JobAgent, aMachineThatLosesItsPowerInTheMiddleBeginsAgainWithANewToken) {
  const std::string uuid = writing();
  agents.agents.clear();
  conductor->seen("52:54:00:00:00:01", "HTTP boot", Conductor::Sign::boots);
  EXPECT_EQ(node(uuid).job.stage, Stage::await_agent);
  conductor->settle();
  EXPECT_EQ(node(uuid).state, State::wait_call_back);
  agents.rounds = 0;
  const std::string second = agent_calls(uuid);
  EXPECT_NE(second, token);
  EXPECT_NE(second, "******");
  pass(12);
  EXPECT_EQ(node(uuid).state, State::active) << node(uuid).last_error;
}

TEST_F(JobAgent, anAgentThatHasForgottenItsOrderMeansARestartOfTheDeployment) {
  const std::string uuid = writing();
  agents.agents.clear();
  pass(3);
  EXPECT_EQ(node(uuid).job.notes.restarts, 1);
  EXPECT_EQ(events(uuid, "restart").size(), 1U);
  pass(3);
  EXPECT_EQ(node(uuid).state, State::wait_call_back);
}

TEST_F(JobAgent, aMachineThatKeepsRestartingFails) {
  const std::string uuid = writing();
  for (int i = 0; i < 3; ++i) {
    conductor->seen("52:54:00:00:00:01", "HTTP boot", Conductor::Sign::boots);
    pass(1);
    if (node(uuid).state == State::wait_call_back) agent_calls(uuid);
    pass(3);
  }
  EXPECT_EQ(node(uuid).state, State::deploy_failed);
  EXPECT_NE(node(uuid).last_error.find("power loss"), std::string::npos);
}

TEST_F(JobAgent, progressIsShown) {
  const std::string uuid = writing();
  agents.agents.begin()->second.commands.back()["command_result"] = {{"progress", 42}};
  pass(2);
  EXPECT_EQ(node(uuid).progress, 42);
}

TEST_F(JobAgent, askingHowFarAnAgentIsWritesNothing) {
  const std::string uuid = writing();
  agents.rounds = 1000;
  pass(3);
  const Job kept = store.nodes().at(0).job;
  const int looks = agents.agents.begin()->second.looks;
  pass(20);
  EXPECT_GE(agents.agents.begin()->second.looks, looks + 15);
  const Job now = store.nodes().at(0).job;
  EXPECT_EQ(now.notes, kept.notes);
  EXPECT_EQ(now.retry_at, kept.retry_at);
}

TEST_F(JobAgent, whoIsSilentIsGivenUpAndWhoAnsweredBeforeTheRestartHasItsTimeAnew) {
  const std::string uuid = writing();
  conductor->ledger().edit(uuid).driver_info["agent_silence_timeout"] = "60";
  agents.rounds = 1000;
  pass(200);
  EXPECT_EQ(node(uuid).job.stage, Stage::write_image) << "it answers, whatever was kept of that";
  start();
  agents.silent = true;
  pass(40);
  EXPECT_EQ(node(uuid).job.stage, Stage::write_image) << node(uuid).last_error;
  pass(30);
  EXPECT_EQ(node(uuid).state, State::deploy_failed);
  EXPECT_NE(node(uuid).last_error.find("has not answered since"), std::string::npos) << node(uuid).last_error;
}

}  // namespace
}  // namespace hearth::bootstrap
