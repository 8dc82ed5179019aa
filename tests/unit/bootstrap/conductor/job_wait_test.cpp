#include "bootstrap/conductor/jobs.hpp"
#include "bootstrap/node/shown.hpp"
#include "tests/unit/bootstrap/conductor_fixture.hpp"

namespace hearth::bootstrap {
namespace {

class JobWait : public ConductorFixture {};

TEST_F(JobWait, aNodeThatNeverCallsBackFailsWithIronicsWords) {
  const std::string uuid = add("fake-hardware");
  conductor->ledger().edit(uuid).driver_info["deploy_callback_timeout"] = "60";
  conductor->verb(uuid, "deploy", {});
  pass(30);
  EXPECT_EQ(node(uuid).state, State::wait_call_back);
  const auto until = [&] { return node(uuid).job.notes.until; };
  EXPECT_EQ(until(), node(uuid).job.stage_since + microseconds(Seconds(60)));
  conductor->ledger().edit(uuid).driver_info["deploy_callback_timeout"] = "61";
  pass(1);
  EXPECT_EQ(until(), node(uuid).job.stage_since + microseconds(Seconds(61))) << "by what holds now";
  EXPECT_FALSE(shown_node(node(uuid), {}).at("driver_internal_info").at("job").at("until").is_null());
  pass(60);
  EXPECT_EQ(node(uuid).state, State::deploy_failed);
  EXPECT_EQ(node(uuid).last_error,
            cat("Timeout reached while waiting for callback for node ", uuid,
                ": nothing was heard of its machine: look at its console, its cable and its boot order"));
  EXPECT_FALSE(node(uuid).job.running());
  conductor->verb(uuid, "deploy", {});
  EXPECT_EQ(node(uuid).state, State::deploying);
  EXPECT_EQ(node(uuid).last_error, "");
}

TEST_F(JobWait, strangersThatAskedMeanwhileAreNamed) {
  const std::string uuid = add("fake-hardware");
  conductor->ledger().edit(uuid).driver_info["deploy_callback_timeout"] = "60";
  conductor->seen("52:54:00:00:00:76", "before", Conductor::Sign::asks);
  pass(10);
  conductor->verb(uuid, "deploy", {});
  pass(30);
  conductor->seen("52:54:00:00:00:77", "dhcp DISCOVER", Conductor::Sign::asks);
  conductor->seen("52:54:00:00:00:77", "dhcp DISCOVER", Conductor::Sign::asks);
  pass(60);
  EXPECT_TRUE(node(uuid).last_error.ends_with(
      "boot order; meanwhile there asked, and is no node's: 52:54:00:00:00:77 (dhcp DISCOVER, 2 times)"))
      << node(uuid).last_error;
}

TEST_F(JobWait, WhoseCardWasMistypedIsToldWhichAsksAndStartedAgainOnceItIsCorrected) {
  const std::string uuid = add("fake-hardware");
  const auto told = [&] {
    return shown_node(node(uuid), {})["driver_internal_info"]["job"].value("strangers", Json());
  };
  conductor->seen("52:54:00:00:00:66", "dhcp DISCOVER", Conductor::Sign::asks);  // before, so it is another's
  pass(10);
  conductor->verb(uuid, "deploy", {});
  pass(10);
  conductor->seen("52:54:00:00:00:77", "dhcp DISCOVER", Conductor::Sign::asks);
  EXPECT_EQ(told(), Json()) << "its own firmware takes a moment";
  pass(20);
  EXPECT_EQ(told(), Json({"52:54:00:00:00:77"}));
  EXPECT_TRUE(events(uuid, "retry").empty());
  conductor->ledger().edit(uuid).ports[0].address = "52:54:00:00:00:77";
  pass(5);
  ASSERT_EQ(events(uuid, "retry").size(), 1U);
  EXPECT_NE(events(uuid, "retry")[0].find("had asked in vain, and is known now"), std::string::npos);
  pass(20);
  EXPECT_EQ(events(uuid, "retry").size(), 1U) << "once";
  EXPECT_EQ(node(uuid).job.stage, Stage::await_agent);
  conductor->seen("52:54:00:00:00:77", "dhcp DISCOVER", Conductor::Sign::asks);
  EXPECT_EQ(told(), Json()) << "it is no stranger any more";
}

TEST_F(JobWait, aNodeThatWasHeardOfFailsWithItsLastSignOfLife) {
  const std::string uuid = add("fake-hardware");
  conductor->ledger().edit(uuid).driver_info["deploy_callback_timeout"] = "60";
  conductor->verb(uuid, "deploy", {});
  pass(30);
  conductor->seen("52:54:00:00:00:01", "DHCP", Conductor::Sign::asks);
  pass(60);
  EXPECT_EQ(node(uuid).state, State::deploy_failed);
  EXPECT_NE(node(uuid).last_error.find(": the last that was heard of its machine, at "), std::string::npos);
  EXPECT_NE(node(uuid).last_error.find(" UTC: "), std::string::npos) << node(uuid).last_error;
  EXPECT_NE(node(uuid).last_error.find(": DHCP; look at its console"), std::string::npos) << node(uuid).last_error;
}

TEST_F(JobWait, aMachineOfWhichNothingIsHeardIsStartedAgainAndThenGivenUp) {
  const std::string uuid = add("fake-hardware");
  conductor->ledger().edit(uuid).driver_info["boot_silence_timeout"] = "100";
  conductor->ledger().edit(uuid).driver_info["deploy_callback_timeout"] = "400";
  conductor->verb(uuid, "deploy", {});
  pass(115);
  ASSERT_EQ(events(uuid, "retry").size(), 1U);
  EXPECT_NE(events(uuid, "retry")[0].find("it is started again (2 of 3)"), std::string::npos)
      << events(uuid, "retry")[0];
  EXPECT_EQ(node(uuid).job.stage, Stage::await_agent);
  EXPECT_EQ(node(uuid).state, State::wait_call_back);
  pass(70);
  conductor->seen("52:54:00:00:00:01", "DHCP", Conductor::Sign::asks);
  pass(90);
  EXPECT_EQ(events(uuid, "retry").size(), 1U) << "it was heard of since";
  pass(30);
  EXPECT_EQ(events(uuid, "retry").size(), 2U);
  pass(100);
  EXPECT_EQ(events(uuid, "retry").size(), 2U) << "not for ever";
  EXPECT_EQ(node(uuid).state, State::deploy_failed) << "the time counts from the first start";
}

TEST_F(JobWait, aMachineThatCallsAfterItsSecondStartIsDeployed) {
  const std::string uuid = add("fake-hardware");
  conductor->ledger().edit(uuid).driver_info["boot_silence_timeout"] = "60";
  conductor->verb(uuid, "deploy", {});
  pass(70);
  EXPECT_EQ(events(uuid, "retry").size(), 1U);
  agent_calls(uuid);
  pass(20);
  EXPECT_EQ(node(uuid).state, State::active) << node(uuid).last_error;
}

TEST_F(JobWait, aMachineThatSomebodyElseStartsForItsInspectionIsNotSwitchedHoweverSilentItIs) {
  const std::string uuid = add("fake-hardware");
  set_state(uuid, State::manageable);
  conductor->ledger().edit(uuid).driver_info["boot_silence_timeout"] = "60";
  conductor->verb(uuid, "inspect", {{"manage_boot", false}});
  pass(100);
  EXPECT_EQ(node(uuid).state, State::inspect_wait) << "nothing has come of it yet";
  EXPECT_EQ(node(uuid).job.stage, Stage::await_data);
  EXPECT_TRUE(events(uuid, "retry").empty());
}

}  // namespace
}  // namespace hearth::bootstrap
