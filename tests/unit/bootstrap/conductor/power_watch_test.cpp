#include "bootstrap/conductor/power_watch.hpp"

#include "tests/unit/bootstrap/conductor_fixture.hpp"

namespace hearth::bootstrap {
namespace {

class PowerWatchTest : public ConductorFixture {
 protected:
  PowerWatchTest() {
    settings.power_sync_interval = Seconds(60);
    start();
  }
};

TEST_F(PowerWatchTest, machinesAreSwitchedOnRequestAndSayWhenItIsDone) {
  const std::string uuid = add("fake-hardware");
  conductor->power(uuid, "power on");
  EXPECT_EQ(node(uuid).target_power, "power on");
  EXPECT_THROW(conductor->power(uuid, "power off"), Refusal);  // one thing at a time
  pass(1);
  EXPECT_EQ(node(uuid).power, Power::on);
  EXPECT_EQ(node(uuid).target_power, "");
  conductor->power(uuid, "rebooting");
  pass(1);
  EXPECT_EQ(node(uuid).power, Power::on);
  EXPECT_THROW(conductor->power(uuid, "explode"), Refusal);
}

TEST_F(PowerWatchTest, anErrorOfAnEarlierWishIsPastButNotWhyANodeFailed) {
  const std::string uuid = add("fake-hardware");
  conductor->ledger().edit(uuid).last_error = "power: HTTP 503";
  conductor->ledger().edit(uuid).state = State::active;
  conductor->power(uuid, "power on");
  pass(1);
  EXPECT_EQ(node(uuid).last_error, "");
  conductor->ledger().edit(uuid).last_error = "the image is not signed";
  conductor->ledger().edit(uuid).state = State::deploy_failed;
  conductor->power(uuid, "power off");
  pass(1);
  EXPECT_EQ(node(uuid).last_error, "the image is not signed");
}

TEST_F(PowerWatchTest, whatAChangedManagementDidNotDoIsPastWhenItAnswers) {
  const std::string uuid = add("fake-hardware");
  conductor->ledger().edit(uuid).last_error = cat(k_other_refuses, "No route to host");
  pass(62);
  EXPECT_EQ(node(uuid).last_error, "") << "it was down for a moment";
  conductor->ledger().edit(uuid).last_error = "the image is not signed";
  pass(62);
  EXPECT_EQ(node(uuid).last_error, "the image is not signed");
}

TEST_F(PowerWatchTest, forAMachineWithoutManagementAPersonIsAsked) {
  const std::string uuid = add("manual-management");
  conductor->power(uuid, "power off");
  EXPECT_EQ(node(uuid).power, Power::off);
  EXPECT_EQ(node(uuid).instruction.text, "Switch node web1 off.");
  conductor->instruction_done(uuid);
  EXPECT_EQ(node(uuid).instruction.action, "");
}

TEST_F(PowerWatchTest, aMachineThatIsOnAgainstOurWordIsSetRightThenTakenOver) {
  const std::string uuid = add("fake-hardware");
  drivers.find("fake-hardware")->set(node(uuid), PowerAction::on);
  pass(62);
  EXPECT_EQ(drivers.find("fake-hardware")->state(node(uuid)), Power::off);
  EXPECT_EQ(events(uuid, "power").back(), "found power on; set to power off");
  // Deaf: it answers, but does not obey.
  drivers.find("fake-hardware")->set(node(uuid), PowerAction::on);
  conductor->ledger().edit(uuid).driver_info["fake_fault"] = "deaf";
  pass(180);
  EXPECT_EQ(node(uuid).power, Power::on);
  EXPECT_EQ(events(uuid, "failure").back(), "found power on; taken over");
}

TEST_F(PowerWatchTest, aLookThatFindsWhatIsKnownIsNeitherWrittenNorTold) {
  add("fake-hardware");
  int told = 0;
  pass(61);
  conductor->ledger().watch([&](const Committed& committed) { told += static_cast<int>(committed.changed.size()); });
  pass(300);
  EXPECT_EQ(told, 0);
}

TEST_F(PowerWatchTest, aBmcThatIsGoneTakesTheNodeOutOfServiceUntilItIsBack) {
  const std::string uuid = add("fake-hardware");
  conductor->ledger().edit(uuid).driver_info["fake_fault"] = "unreachable";
  pass(130);
  EXPECT_FALSE(node(uuid).maintenance);
  pass(60);
  EXPECT_TRUE(node(uuid).maintenance);
  EXPECT_NE(node(uuid).maintenance_reason.find("does not answer"), std::string::npos);
  conductor->ledger().edit(uuid).driver_info.erase("fake_fault");
  pass(61);
  EXPECT_FALSE(node(uuid).maintenance);
  EXPECT_EQ(node(uuid).fault, "");
}

TEST_F(PowerWatchTest, bootDevicesAreCheckedAndKept) {
  const std::string uuid = add("fake-hardware");
  EXPECT_THROW(conductor->set_boot_device(uuid, "floppy", false), Refusal);
  conductor->set_boot_device(uuid, "pxe", true);
  EXPECT_EQ(node(uuid).boot_device, "");  // not before the machine's management has said so
  pass(1);
  EXPECT_EQ(node(uuid).boot_device, "pxe");
  EXPECT_TRUE(node(uuid).boot_device_persistent);
}

/// Its machines are on and go off only when they are forced to.
class Stubborn final : public PowerDriver {
 public:
  std::vector<PowerAction> asked;
  Power power = Power::on;
  [[nodiscard]] std::vector<std::string> missing(const Node&) const override { return {}; }
  [[nodiscard]] Power state(const Node&) override { return power; }
  void set(const Node&, PowerAction action) override {
    asked.push_back(action);
    if (!is_soft(action)) power = action == PowerAction::off ? Power::off : Power::on;
  }
  void set_boot_device(const Node&, const std::string&, bool) override {}
};

class SoftPower : public PowerWatchTest {
 protected:
  SoftPower() {
    auto own = std::make_unique<Stubborn>();
    driver = own.get();
    drivers.add("stubborn", std::move(own));
    uuid = add("stubborn");
    conductor->ledger().edit(uuid).power = Power::on;
  }
  Stubborn* driver = nullptr;
  std::string uuid;
};

TEST_F(SoftPower, asksLooksAndForcesWhenTimeIsUp) {
  conductor->power(uuid, "soft power off", Seconds(30));
  EXPECT_EQ(node(uuid).target_power, "soft power off");
  pass(28);
  EXPECT_EQ(driver->asked, (std::vector{PowerAction::soft_off}));
  pass(6);
  EXPECT_EQ(driver->asked, (std::vector{PowerAction::soft_off, PowerAction::off}));
  EXPECT_EQ(node(uuid).power, Power::off);
  EXPECT_EQ(node(uuid).target_power, "");
  EXPECT_FALSE(node(uuid).internal.contains("soft_power"));
}

TEST_F(SoftPower, takesItAsDoneWhenTheMachineFollowsAndStartsItAgainWhereThatWasAskedFor) {
  conductor->power(uuid, "soft rebooting", Seconds(600));
  pass(5);
  EXPECT_EQ(node(uuid).target_power, "soft rebooting");
  driver->power = Power::off;
  pass(4);
  EXPECT_EQ(driver->asked, (std::vector{PowerAction::soft_off, PowerAction::on}));
  EXPECT_EQ(node(uuid).power, Power::on);
}

TEST_F(SoftPower, nobodyIsLockedOutMeanwhileAndAHardOneReplacesIt) {
  conductor->power(uuid, "soft power off", Seconds(600));
  pass(5);
  conductor->power(uuid, "power off");
  pass(2);
  EXPECT_EQ(node(uuid).power, Power::off);
  driver->power = Power::on;
  pass(5);
  EXPECT_EQ(driver->asked.size(), 2U) << "the soft one is forgotten";
}

TEST_F(SoftPower, outlivesTheConductor) {
  conductor->power(uuid, "soft power off", Seconds(30));
  pass(2);
  start();
  pass(40);
  EXPECT_EQ(node(uuid).power, Power::off);
}

class Orders : public SoftPower {};

TEST_F(Orders, aJobThatBeginsWaitsForTheOrderThatIsUnderWay) {
  Node& failed = conductor->ledger().edit(uuid);
  failed.state = State::deploy_failed;
  failed.internal[k_power_off_wanted] = {{"tries", 0}, {"at", 0}};
  conductor->tick();  // given, and not carried out yet
  conductor->verb(uuid, "active", {});
  conductor->settle();
  EXPECT_EQ(node(uuid).job.stage, Stage::check);
  EXPECT_EQ(driver->asked, std::vector<PowerAction>());
  EXPECT_THROW(conductor->power(uuid, "power on"), Refusal);
  pass(1);
  EXPECT_EQ(driver->asked, (std::vector{PowerAction::off, PowerAction::off, PowerAction::on})) << "it, then the job's";
  EXPECT_EQ(events(uuid, "power"), (std::vector<std::string>{"power off", "power on"}));
}

TEST_F(Orders, theRegularLookSwitchesNoMachineThatAJobHasTakenMeanwhile) {
  driver->power = Power::off;
  conductor->tick();
  clock.advance(std::chrono::seconds(61));
  conductor->tick();  // it looks, and will find it off
  conductor->verb(uuid, "active", {});
  pass(1);
  EXPECT_EQ(driver->asked, (std::vector{PowerAction::off, PowerAction::on})) << "the job's own";
  EXPECT_EQ(node(uuid).job.stage, Stage::await_agent);
}

TEST_F(Orders, outliveTheConductorThatTookThem) {
  conductor->power(uuid, "power off");
  start();
  EXPECT_EQ(node(uuid).target_power, "power off");
  pass(1);
  EXPECT_EQ(driver->asked, (std::vector{PowerAction::off}));
  EXPECT_EQ(node(uuid).power, Power::off);
  EXPECT_EQ(node(uuid).target_power, "");
  EXPECT_FALSE(node(uuid).internal.contains(k_ordered));
}

TEST_F(Orders, thatNobodyCountsOnAnyMoreAreToldAndNotDone) {
  conductor->power(uuid, "power off");
  clock.advance(std::chrono::minutes(11));
  start();
  pass(1);
  EXPECT_EQ(driver->asked, std::vector<PowerAction>());
  EXPECT_EQ(node(uuid).target_power, "");
  EXPECT_EQ(node(uuid).last_error, "Pending power operation was aborted due to conductor restart");
}

TEST_F(Orders, aSoftOneEndsWhereAJobBegins) {
  conductor->ledger().edit(uuid).state = State::active;
  conductor->power(uuid, "soft power off", Seconds(30));
  pass(3);
  conductor->verb(uuid, "rebuild", {});
  EXPECT_EQ(node(uuid).target_power, "");
  pass(60);
  EXPECT_EQ(driver->asked, (std::vector{PowerAction::soft_off, PowerAction::off, PowerAction::on}));
  EXPECT_EQ(node(uuid).state, State::wait_call_back);
}

TEST_F(Orders, ofAJobThatIsGivenUpTellThePowerNevertheless) {
  conductor->verb(uuid, "active", {});
  pass(3);
  clock.advance(std::chrono::seconds(601));
  conductor->tick();  // nothing was heard of it: it is to be switched off and started again
  conductor->tick();  // which begins
  ASSERT_EQ(node(uuid).job.stage, Stage::power_off);
  conductor->verb(uuid, "abort", {});
  pass(1);
  EXPECT_EQ(node(uuid).power, Power::off);
  EXPECT_EQ(driver->power, Power::off);
}

TEST_F(PowerWatchTest, aRoundMarksANodeBusyOnlyWhenItsTurnComes) {
  for (int i = 0; i < 200; ++i)
    add("fake-hardware", cat("52:54:00:00:", i / 100, i / 10 % 10, ":", i / 10 % 10, i % 10), cat("n", i));
  conductor->tick();
  clock.advance(std::chrono::seconds(61));
  conductor->tick();  // the round begins; InlineWorkers have done nothing of it yet
  int locked = 0;
  for (const auto& [id, one] : conductor->ledger().nodes()) {
    try {
      conductor->power(id, "power on");
    } catch (const Refusal&) {
      ++locked;
    }
  }
  EXPECT_LE(locked, 64);
}

TEST_F(PowerWatchTest, MoreAreAskedAtOnceWhereARoundTakesLongAndFewerWhereManyDoNotAnswer) {
  settings.power_sync_interval = Seconds(3);
  start();
  for (int i = 0; i < 1000; ++i)
    add("fake-hardware", cat("52:54:00:", 10 + i / 100, ":", 10 + i / 10 % 10, ":", 10 + i % 10), cat("n", i));
  const auto most_asked = [this](int ticks) {
    std::size_t most = 0;
    for (int tick = 0; tick < ticks; ++tick) {
      clock.advance(std::chrono::seconds(1));
      conductor->tick();
      most = std::max(most, conductor->asked_nodes().size());
    }
    return most;
  };
  EXPECT_EQ(most_asked(17), 64U) << "1000 of them are 16 ticks";
  EXPECT_EQ(most_asked(40), 192U);
  EXPECT_EQ(most_asked(100), 192U);
  for (const auto& [id, one] : conductor->ledger().nodes())
    conductor->ledger().edit(id).driver_info["fake_fault"] = "unreachable";
  EXPECT_EQ(most_asked(20), 192U) << "nobody knows yet";
  EXPECT_LE(most_asked(30), 96U);
}

}  // namespace
}  // namespace hearth::bootstrap
