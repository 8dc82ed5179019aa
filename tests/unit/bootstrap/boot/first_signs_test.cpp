#include "bootstrap/boot/first_signs.hpp"

#include "tests/unit/bootstrap/conductor_fixture.hpp"

namespace hearth::bootstrap {
namespace {

class Signs : public ConductorFixture {
 protected:
  Signs() {
    uuid = add("fake-hardware");
    deployed();
  }
  void deployed() {
    Node& node = conductor->ledger().edit(uuid);
    node.state = State::active;
    node.provision_updated = conductor->ledger().now();
    node.instance_uuid = "server-1";
    conductor->ledger().record(node, "state", "deploying -> active");
    conductor->settle();
  }
  std::vector<std::string> told() {
    conductor->settle();
    std::vector<std::string> texts;
    for (const Event& event : conductor->ledger().store().events({.node = uuid})) {
      if (event.kind == "system") texts.push_back(event.text);
    }
    return texts;
  }
  std::function<std::int64_t(const std::string&)> asked() {
    return [this](const std::string& server) { return server == "server-1" ? last : 0; };
  }

  /// Its agent asks now; some time has gone by.
  void asks() {
    clock.advance(std::chrono::seconds(30));
    last = conductor->ledger().now() / 1'000'000;
  }

  std::string uuid;
  std::int64_t last = 0;
};

TEST_F(Signs, theFirstQuestionAndEachDeploymentAreToldOnce) {
  FirstSigns signs(*conductor, asked());
  signs.look();
  EXPECT_TRUE(told().empty());
  asks();
  signs.look();
  asks();
  signs.look();
  signs.deployment_is("server-1", "network", "CREATE_IN_PROGRESS");
  signs.deployment_is("server-1", "network", "CREATE_COMPLETE");
  signs.deployment_is("server-1", "web", "CREATE_FAILED");
  signs.deployment_is("server-1", "web", "UPDATE_COMPLETE");
  signs.deployment_is("of-no-node", "x", "CREATE_COMPLETE");
  signs.look();
  signs.look();
  const std::vector<std::string> all = {"its agent has asked for its metadata", "deployment network: done",
                                        "deployment web: failed", "update of deployment web: done"};
  EXPECT_EQ(told(), all);
}

TEST_F(Signs, whatEndsBeforeTheNodeIsActiveIsToldWhenItIs) {
  conductor->ledger().edit(uuid).state = State::deploying;
  conductor->settle();
  FirstSigns signs(*conductor, asked());
  signs.deployment_is("server-1", "network", "CREATE_COMPLETE");
  signs.look();
  EXPECT_TRUE(told().empty());
  deployed();
  asks();
  signs.look();
  const std::vector<std::string> all = {"its agent has asked for its metadata", "deployment network: done"};
  EXPECT_EQ(told(), all);
}

TEST_F(Signs, aRestartTellsNothingTwiceAndWhatIsDeployedAnewIsToldAnew) {
  asks();
  FirstSigns(*conductor, asked()).look();
  EXPECT_EQ(told().size(), 1U);
  FirstSigns after(*conductor, asked());
  after.look();
  EXPECT_EQ(told().size(), 1U);
  conductor->ledger().edit(uuid).state = State::deploying;
  conductor->settle();
  after.look();
  deployed();
  after.look();
  EXPECT_EQ(told().size(), 1U) << "what asked last is the system of before";
  asks();
  after.look();
  EXPECT_EQ(told().size(), 2U);
}

TEST_F(Signs, whatCouldNotBeKeptIsToldAgain) {
  const fs::path file = directory.path() / "own.db";
  Store own(file.string());
  Conductor other(Conductor::Parts{own, drivers, agents, *workers, clock, log, settings, directory.path()});
  other.ledger().add(node(uuid));
  other.settle();
  FirstSigns signs(other, asked());
  asks();
  signs.deployment_is("server-1", "network", "CREATE_COMPLETE");
  fs::rename(file, directory.path() / "away.db");
  EXPECT_ANY_THROW(signs.look());
  fs::rename(directory.path() / "away.db", file);
  signs.look();
  EXPECT_EQ(own.events({.node = uuid}).size(), 2U);
}

TEST_F(Signs, ofAMachineThatAsksForNoMetadataItsAddressIsTheFirstSign) {
  const std::string other = add("fake-hardware", "52:54:00:00:00:02", "baked");
  FirstSigns signs(*conductor, asked());
  conductor->seen("52:54:00:00:00:02", "dhcp DISCOVER", Conductor::Sign::asks);
  Node& node = conductor->ledger().edit(other);
  clock.advance(std::chrono::seconds(5));
  node.state = State::active;
  node.provision_updated = conductor->ledger().now();
  conductor->ledger().record(node, "state", "deploying -> active");
  conductor->settle();
  signs.look();
  EXPECT_TRUE(events(other, "system").empty()) << "what asked before was its ramdisk";
  clock.advance(std::chrono::seconds(10));
  conductor->seen("52:54:00:00:00:02", "dhcp REQUEST", Conductor::Sign::asks);
  signs.look();
  signs.look();
  FirstSigns(*conductor, asked()).look();
  EXPECT_EQ(events(other, "system"), std::vector<std::string>{"its machine has asked for an address"});
}

TEST_F(Signs, aLeaseThatIsRenewedMonthsLaterIsNoFirstSign) {
  clock.advance(std::chrono::hours(24 * 60));
  conductor->ledger().edit(uuid).instance_uuid = "of-no-engine";
  conductor->seen("52:54:00:00:00:01", "dhcp REQUEST", Conductor::Sign::asks);
  FirstSigns(*conductor, asked()).look();  // of a conductor that was started anew, or is a newer Hearth
  EXPECT_TRUE(events(uuid, "system").empty());
}

}  // namespace
}  // namespace hearth::bootstrap
