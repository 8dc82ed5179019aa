#include "bootstrap/conductor/off_order.hpp"

#include "tests/unit/bootstrap/conductor_fixture.hpp"

namespace hearth::bootstrap {
namespace {

/// A conductor is killed when what it ordered has not been answered: InlineWorkers do it when they are asked.
class OffOrder : public ConductorFixture {
 protected:
  OffOrder() {
    uuid = add("fake-hardware");
    pass(1);
  }

  /// Until the job is at this stage, and its order is given.
  void go_to(Stage stage) {
    for (int i = 0; i < 20 && (node(uuid).job.stage != stage || workers->idle()); ++i) {
      (void)conductor->begin_tick();
    }
    ASSERT_EQ(node(uuid).job.stage, stage);
    ASSERT_FALSE(workers->idle());
  }
  [[nodiscard]] std::vector<std::string> waits() { return events(uuid, "retry"); }
  std::string uuid;
};

TEST_F(OffOrder, ofAKilledConductorFindsNoMachineThatWasStartedMeanwhile) {
  conductor->verb(uuid, "active", {});
  go_to(Stage::power_off);
  ASSERT_TRUE(node(uuid).internal.contains(k_switching_off));
  start();
  pass(57);
  EXPECT_EQ(node(uuid).job.stage, Stage::power_on);
  EXPECT_EQ(node(uuid).power, Power::off);
  ASSERT_EQ(waits().size(), 1U);
  EXPECT_NE(waits()[0].find("may yet carry out what was ordered before"), std::string::npos) << waits()[0];
  pass(6);
  EXPECT_EQ(node(uuid).job.stage, Stage::await_agent);
  EXPECT_FALSE(node(uuid).internal.contains(k_switching_off)) << "the next conductor has nothing to wait for";
}

TEST_F(OffOrder, ofAKilledConductorFindsNoMachineThatIsAnothersMeanwhile) {
  conductor->verb(uuid, "active", {});
  pass(3);
  clock.advance(std::chrono::seconds(601));
  go_to(Stage::power_off);
  conductor->verb(uuid, "abort", {});
  start();
  pass(5);
  ASSERT_FALSE(node(uuid).job.running());
  EXPECT_THROW(conductor->give(uuid, "http://cloud:5000"), Refusal);
  pass(57);
  conductor->give(uuid, "http://cloud:5000");
  EXPECT_EQ(given_to(node(uuid)), "http://cloud:5000");
}

TEST_F(OffOrder, isNotForgottenByAnotherJobNorByAnotherConductor) {
  conductor->verb(uuid, "active", {});
  pass(3);
  clock.advance(std::chrono::seconds(601));
  go_to(Stage::power_off);  // nothing was heard of it
  conductor->verb(uuid, "abort", {});
  start();
  pass(5);
  conductor->verb(uuid, "active", {});
  pass(20);
  start();
  pass(57);
  EXPECT_EQ(node(uuid).job.stage, Stage::power_on);
  pass(6);
  EXPECT_EQ(node(uuid).job.stage, Stage::await_agent);
}

/// Each of these gives it again, and is killed before it is answered.
TEST_F(OffOrder, ofManyConductorsOneAfterTheOtherIsAsYoungAsTheLast) {
  conductor->verb(uuid, "active", {});
  go_to(Stage::power_off);
  for (int i = 0; i < 5; ++i) {
    clock.advance(std::chrono::seconds(150));
    start();
    go_to(Stage::power_off);
  }
  start();
  pass(50);
  EXPECT_EQ(node(uuid).job.stage, Stage::power_on);
}

TEST_F(OffOrder, ofAPersonCountsLikewise) {
  conductor->power(uuid, "power off");
  start();
  conductor->verb(uuid, "active", {});
  pass(50);
  EXPECT_EQ(node(uuid).job.stage, Stage::power_on);
}

/// The machine's management carries it out a while after the next conductor's start; people switch on before.
TEST_F(OffOrder, findsNoMachineThatAPersonStarts) {
  const auto times_told = [this] {
    const std::vector<std::string> told = events(uuid, "power");
    return std::count_if(told.begin(), told.end(),
                         [](const std::string& text) { return text.find("may yet carry out") != std::string::npos; });
  };
  for (const char* wish : {"power on", "rebooting", "soft rebooting"}) {
    const auto before = times_told();
    conductor->power(uuid, "power off");
    start();
    conductor->power(uuid, wish, Seconds(10));  // in place of the former conductor's wish
    pass(57);
    EXPECT_EQ(node(uuid).power, Power::off) << wish;
    EXPECT_EQ(node(uuid).target_power, wish);
    EXPECT_EQ(times_told(), before + 1) << wish;
    pass(6);
    EXPECT_EQ(node(uuid).power, Power::on) << wish;
    EXPECT_EQ(node(uuid).target_power, "");
    conductor->power(uuid, "power off");
    pass(2);
  }
}

TEST_F(OffOrder, letsALaterWishReplaceOneThatIsHeld) {
  conductor->power(uuid, "power off");
  start();
  conductor->power(uuid, "power on");
  pass(5);
  conductor->power(uuid, "power off");
  pass(2);
  EXPECT_EQ(node(uuid).target_power, "");
  pass(60);
  EXPECT_EQ(node(uuid).power, Power::off);
}

/// A restart that a killed conductor has ordered is one that switches off.
TEST_F(OffOrder, ofARestartIsWaitedForBeforeItIsGoneOnWith) {
  conductor->power(uuid, "rebooting");
  start();
  pass(57);
  EXPECT_EQ(node(uuid).target_power, "rebooting");
  pass(6);
  EXPECT_EQ(node(uuid).power, Power::on);
}

TEST_F(OffOrder, findsNoMachineThatIsSetRight) {
  settings.power_sync_interval = Seconds(10);
  drivers.find("fake-hardware")->set(node(uuid), PowerAction::off);
  conductor->power(uuid, "power off");
  start();
  Node& wanted = conductor->ledger().edit(uuid);
  forget_power_wishes(wanted);
  wanted.power = Power::on;
  pass(57);
  EXPECT_EQ(drivers.find("fake-hardware")->state(node(uuid)), Power::off) << join(events(uuid, "power"), "\n");
  pass(6);
  EXPECT_EQ(drivers.find("fake-hardware")->state(node(uuid)), Power::on);
}

TEST_F(OffOrder, ofAFailedDeploymentCountsLikewise) {
  Node& failed = conductor->ledger().edit(uuid);
  failed.state = State::deploy_failed;
  failed.internal[k_power_off_wanted] = {{"tries", 0}, {"at", 0}};
  conductor->tick();  // it is given
  start();
  conductor->verb(uuid, "active", {});
  pass(50);
  EXPECT_EQ(node(uuid).job.stage, Stage::power_on);
}

TEST_F(OffOrder, thatWasAnsweredKeepsNobodyWaiting) {
  conductor->verb(uuid, "active", {});
  go_to(Stage::power_on);
  start();
  pass(3);
  EXPECT_EQ(node(uuid).job.stage, Stage::await_agent);
  conductor->verb(uuid, "abort", {});
  start();
  conductor->verb(uuid, "active", {});
  pass(5);
  EXPECT_EQ(node(uuid).job.stage, Stage::await_agent);
  EXPECT_TRUE(waits().empty());
}

TEST_F(OffOrder, ofLongAgoOrOfATimeToComeKeepsNobodyWaiting) {
  for (const auto& apart : {std::chrono::minutes(11), std::chrono::minutes(-11)}) {
    conductor->verb(uuid, "active", {});
    go_to(Stage::power_off);
    clock.advance(apart);
    start();
    pass(6);
    EXPECT_EQ(node(uuid).job.stage, Stage::await_agent);
    conductor->verb(uuid, "abort", {});
    pass(3);
  }
}

}  // namespace
}  // namespace hearth::bootstrap
