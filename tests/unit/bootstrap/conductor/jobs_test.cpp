#include "bootstrap/conductor/jobs.hpp"

#include "bootstrap/node/shown.hpp"
#include "tests/unit/bootstrap/conductor_fixture.hpp"

namespace hearth::bootstrap {
namespace {

class JobsTest : public ConductorFixture {};

TEST_F(JobsTest, aNodeIsDeployedAndEveryStepOfItIsAnEvent) {
  const std::string uuid = add("fake-hardware");
  conductor->verb(uuid, "active", {});
  EXPECT_EQ(node(uuid).state, State::deploying);
  EXPECT_EQ(node(uuid).target, State::active);
  pass(3);
  EXPECT_EQ(node(uuid).state, State::wait_call_back);
  EXPECT_EQ(node(uuid).power, Power::on);
  agent_calls(uuid);
  pass(10);
  EXPECT_EQ(node(uuid).state, State::active) << node(uuid).last_error;
  EXPECT_FALSE(node(uuid).target);
  EXPECT_EQ(node(uuid).boot_device, "disk");
  EXPECT_EQ(node(uuid).power, Power::on);
  EXPECT_FALSE(node(uuid).internal.contains("agent_secret_token"));
  EXPECT_EQ(agents.told, (std::vector<std::string>{"http://192.0.2.9:9999 deploy.get_deploy_steps",
                                                   "http://192.0.2.9:9999 deploy.execute_deploy_step",
                                                   "http://192.0.2.9:9999 standby.power_off"}));
  EXPECT_EQ(events(uuid, "state"), (std::vector<std::string>{"available -> deploying", "deploying -> wait call-back",
                                                             "wait call-back -> deploying", "deploying -> active"}));
}

TEST_F(JobsTest, aVerbThatIsNotAllowedLeavesEverythingAsItWas) {
  const std::string uuid = add("fake-hardware");
  try {
    conductor->verb(uuid, "inspect", {});
    FAIL();
  } catch (const Refusal& refusal) {
    EXPECT_EQ(refusal.status(), 400);
    EXPECT_NE(std::string(refusal.what()).find("while it is in state \"available\""), std::string::npos);
  }
  EXPECT_EQ(node(uuid).state, State::available);
  EXPECT_FALSE(node(uuid).job.running());
}

TEST_F(JobsTest, aVerbThatIsNotAllowedLeavesTheWorkThatRuns) {
  const std::string uuid = add("fake-hardware");
  conductor->verb(uuid, "deploy", {});
  pass(3);
  EXPECT_THROW(conductor->verb(uuid, "inspect", {}), Refusal);
  EXPECT_EQ(node(uuid).job.kind, JobKind::deploy);
  agent_calls(uuid);
  pass(10);
  EXPECT_EQ(node(uuid).state, State::active) << node(uuid).last_error;
}

TEST_F(JobsTest, theNextBootsAgentGetsATokenOfItsOwn) {
  const std::string uuid = add("fake-hardware");
  conductor->verb(uuid, "deploy", {});
  pass(3);
  agents.rounds = 1000;
  const std::string first = agent_calls(uuid);
  conductor->ledger().edit(uuid).job = {};
  set_state(uuid, State::deploy_failed);
  conductor->verb(uuid, "deploy", {});
  pass(3);
  const std::string second = agent_calls(uuid, "http://192.0.2.9:9998");
  EXPECT_GE(second.size(), 32U);
  EXPECT_NE(second, first);
}

TEST_F(JobsTest, aRescuedMachinesAgentIsKnownOn) {
  const std::string uuid = add("fake-hardware");
  set_state(uuid, State::active);
  conductor->verb(uuid, "rescue", {{"rescue_password", "sesame"}});
  pass(3);
  const std::string token = agent_calls(uuid);
  pass(5);
  ASSERT_EQ(node(uuid).state, State::rescue);
  EXPECT_NO_THROW(beat(uuid, token));
}

TEST_F(JobsTest, anAnswerToWhatWasAskedBeforeCountsForNothingNow) {
  const std::string uuid = add("fake-hardware");
  conductor->verb(uuid, "deploy", {});
  ASSERT_EQ(node(uuid).job.stage, Stage::power_off) << "under way, and its answer has not been collected";
  conductor->ledger().edit(uuid).job.started -= 1;  // as that of an earlier deployment
  workers->collect(1000);
  EXPECT_EQ(node(uuid).job.stage, Stage::power_off);
}

TEST_F(JobsTest, abortEndsTheWaiting) {
  const std::string uuid = add("fake-hardware");
  conductor->verb(uuid, "deploy", {});
  pass(3);
  conductor->verb(uuid, "abort", {});
  EXPECT_EQ(node(uuid).state, State::deploy_failed);
  EXPECT_FALSE(node(uuid).job.running());
  pass(5);
  EXPECT_EQ(node(uuid).state, State::deploy_failed);
}

TEST_F(JobsTest, aNodeIsTakenOutOfUseWhileItWaits) {
  const std::string uuid = add("fake-hardware");
  conductor->verb(uuid, "deploy", {});
  pass(3);
  conductor->verb(uuid, "deleted", {});
  pass(3);
  EXPECT_EQ(node(uuid).state, State::available);
  EXPECT_EQ(node(uuid).power, Power::off);
  EXPECT_TRUE(node(uuid).instance_info.empty());
  EXPECT_EQ(node(uuid).instance_uuid, "");
}

TEST_F(JobsTest, cleaningRunsTheStepsWithAPriorityHighestFirst) {
  const std::string uuid = add("fake-hardware");
  set_state(uuid, State::manageable);
  conductor->ledger().edit(uuid).fields["automated_clean"] = true;
  conductor->verb(uuid, "provide", {});
  pass(3);
  EXPECT_EQ(node(uuid).state, State::clean_wait);
  agent_calls(uuid);
  pass(12);
  EXPECT_EQ(node(uuid).state, State::available) << node(uuid).last_error;
  const std::vector<std::string> told = events(uuid, "agent");
  EXPECT_NE(std::find(told.begin(), told.end(), "step done: check"), told.end());
  EXPECT_EQ(agents.count("clean.execute_clean_step"), 2U);
  EXPECT_LT(std::find(told.begin(), told.end(), "step done: check"),
            std::find(told.begin(), told.end(), "step done: erase"));
}

TEST_F(JobsTest, manualCleaningEndsWhereItBeganAndRunsWhatItWasTold) {
  const std::string uuid = add("fake-hardware");
  set_state(uuid, State::manageable);
  conductor->verb(uuid, "clean", {{"clean_steps", {{{"step", "burn_in"}, {"interface", "deploy"}}}}});
  EXPECT_EQ(node(uuid).target, State::manageable);
  pass(3);
  agent_calls(uuid);
  pass(10);
  EXPECT_EQ(node(uuid).state, State::manageable) << node(uuid).last_error;
  EXPECT_EQ(agents.count("clean.execute_clean_step"), 1U);
}

TEST_F(JobsTest, inspectionTakesWhatTheMachineTellsAndSwitchesItOff) {
  const std::string uuid = add("fake-hardware");
  set_state(uuid, State::manageable);
  conductor->verb(uuid, "inspect", {});
  pass(3);
  EXPECT_EQ(node(uuid).state, State::inspect_wait);
  const Json data =
      Json::parse(R"({"inventory": {"interfaces": [{"mac_address": "52:54:00:00:00:01"}], "cpu": {"count": 8}}})");
  EXPECT_EQ(conductor->agents().inspected(data, "", "192.0.2.9")["uuid"], uuid);
  conductor->settle();
  pass(3);
  EXPECT_EQ(node(uuid).state, State::manageable);
  EXPECT_EQ(node(uuid).power, Power::off);
  EXPECT_EQ(node(uuid).properties["cpus"], 8);
  EXPECT_NE(node(uuid).inspection_finished, 0);
}

TEST_F(JobsTest, rescueAndBack) {
  const std::string uuid = add("fake-hardware");
  set_state(uuid, State::active);
  EXPECT_THROW(conductor->verb(uuid, "rescue", {}), Refusal);
  conductor->verb(uuid, "rescue", {{"rescue_password", "sesame"}});
  EXPECT_EQ(node(uuid).job.arguments.dump().find("sesame"), std::string::npos);
  pass(3);
  EXPECT_EQ(node(uuid).state, State::rescue_wait);
  agent_calls(uuid);
  pass(5);
  EXPECT_EQ(node(uuid).state, State::rescue) << node(uuid).last_error;
  conductor->verb(uuid, "unrescue", {});
  pass(5);
  EXPECT_EQ(node(uuid).state, State::active);
  EXPECT_EQ(agents.count("rescue.finalize_rescue"), 1U);
  EXPECT_EQ(agents.count("sesame"), 0U) << "the password goes out hashed";
}

TEST_F(JobsTest, killedAtAnyPointADeploymentGoesOnAndWritesTheImageOnce) {
  // A new process after every tick: whatever was not durable is lost, whatever workers did has happened.
  for (int kill_at = 0; kill_at < 24; ++kill_at) {
    agents = FakeAgents();
    const std::string mac = cat("52:54:00:00:01:", kill_at < 16 ? "0" : "1", "0123456789abcdef"[kill_at % 16]);
    const std::string uuid = add("fake-hardware", mac, cat("n", kill_at));
    conductor->verb(uuid, "deploy", {});
    std::string token;
    int most = 60;
    for (int i = 0; i < most && node(uuid).state != State::active; ++i) {
      if (i == kill_at) {
        if (node(uuid).internal.contains(k_switching_off)) most += 120;  // off_order.hpp
        start();
      }
      clock.advance(std::chrono::milliseconds(500));
      conductor->tick();
      if (node(uuid).state == State::wait_call_back && token.empty()) token = agent_calls(uuid);
    }
    EXPECT_EQ(node(uuid).state, State::active)
        << kill_at << " " << node(uuid).job.stage_name() << " " << node(uuid).last_error;
    EXPECT_EQ(agents.count("execute_deploy_step"), 1U) << kill_at;
  }
}

TEST_F(JobsTest, aTickInPiecesChangesFewNodesInEachAndLeavesNobodyOut) {
  std::vector<std::string> uuids;
  for (int n = 10; n < 90; ++n) uuids.push_back(add("fake-hardware", cat("52:54:00:00:01:", n), cat("n", n)));
  for (const std::string& uuid : uuids) conductor->verb(uuid, "active", {});
  std::size_t most = 0;
  conductor->ledger().watch([&](const Committed& committed) { most = std::max(most, committed.changed.size()); });
  int pieces = 1;
  for (bool more = conductor->begin_tick(); more && pieces < 1000; more = conductor->go_on()) ++pieces;
  EXPECT_LE(most, 32U);
  EXPECT_LT(pieces, 100);
  for (const std::string& uuid : uuids)
    EXPECT_EQ(node(uuid).state, State::wait_call_back) << node(uuid).job.stage_name();
  clock.advance(settings.deploy_callback_timeout + Seconds(1));
  for (bool more = conductor->begin_tick(); more && pieces < 1000; more = conductor->go_on()) ++pieces;
  EXPECT_LE(most, 32U) << "whose time has come at once, too";
  for (const std::string& uuid : uuids) EXPECT_EQ(node(uuid).state, State::deploy_failed);
}

TEST_F(JobsTest, noMoreMachinesBootAtOnceThanThereAreAddresses) {
  settings.boots_at_once = 2;
  start();
  std::vector<std::string> uuids;
  for (const char* end : {"1", "2", "3"}) {
    uuids.push_back(add("fake-hardware", cat("52:54:00:00:00:0", end), cat("n", end)));
    conductor->verb(uuids.back(), "deploy", {});
  }
  pass(3);
  const auto waiting = [&] {
    return std::count_if(uuids.begin(), uuids.end(),
                         [&](const std::string& u) { return node(u).state == State::wait_call_back; });
  };
  EXPECT_EQ(waiting(), 2);
  settings.boots_at_once = 1;  // fewer than boot already
  start();
  pass(3);
  EXPECT_EQ(waiting(), 2);
  int port = 9000;
  for (const std::string& uuid : uuids) {
    if (node(uuid).state == State::wait_call_back) agent_calls(uuid, cat("http://192.0.2.9:", ++port));
  }
  pass(3);
  EXPECT_EQ(std::count_if(uuids.begin(), uuids.end(),
                          [&](const std::string& u) { return node(u).job.stage == Stage::power_off; }),
            0);
  EXPECT_EQ(waiting(), 1);
}

/// Does not answer the first order to switch on.
class DeafOnce final : public PowerDriver {
 public:
  [[nodiscard]] std::vector<std::string> missing(const Node&) const override { return {}; }
  [[nodiscard]] Power state(const Node&) override { return power_; }
  void set(const Node&, PowerAction action) override {
    if (action == PowerAction::on && !std::exchange(asked_, true))
      throw PowerFault(PowerFault::Reason::unreachable, "it does not answer");
    power_ = action == PowerAction::on ? Power::on : Power::off;
  }
  void set_boot_device(const Node&, const std::string&, bool) override {}

 private:
  Power power_ = Power::off;
  bool asked_ = false;
};

TEST_F(JobsTest, aMachineWhoseBmcFailsOnceKeepsItsPlaceAmongThoseThatBoot) {
  settings.boots_at_once = 1;
  drivers.add("deaf-once", std::make_unique<DeafOnce>());
  start();
  const std::string uuid = add("deaf-once");
  conductor->verb(uuid, "deploy", {});
  pass(1);
  ASSERT_EQ(node(uuid).job.stage, Stage::power_on);
  ASSERT_EQ(node(uuid).job.attempt, 1);
  pass(20);
  EXPECT_EQ(node(uuid).state, State::wait_call_back) << node(uuid).job.stage_name();
}

TEST_F(JobsTest, aClockThatIsSetBackKeepsNoJobWaiting) {
  const std::string uuid = add("fake-hardware");
  conductor->ledger().edit(uuid).driver_info["deploy_callback_timeout"] = "60";
  const std::string silent = add("fake-hardware", "52:54:00:00:00:02", "web2");
  conductor->ledger().edit(silent).driver_info["deploy_callback_timeout"] = "60";
  agents.rounds = 5;
  for (const std::string& one : {uuid, silent}) conductor->verb(one, "deploy", {});
  pass(3);
  agent_calls(uuid);
  pass(2);
  ASSERT_EQ(node(uuid).job.stage, Stage::write_image);
  clock.set_ahead(std::chrono::hours(-3));
  pass(30);
  EXPECT_EQ(node(uuid).state, State::active) << node(uuid).job.stage_name();
  pass(40);
  EXPECT_EQ(node(silent).state, State::deploy_failed) << node(silent).job.stage_name();
}

}  // namespace
}  // namespace hearth::bootstrap
