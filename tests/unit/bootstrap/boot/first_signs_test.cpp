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

  std::string uuid;
  std::int64_t last = 0;
};

TEST_F(Signs, theFirstQuestionAndEachDeploymentAreToldOnce) {
  FirstSigns signs(*conductor, asked());
  signs.look();
  EXPECT_TRUE(told().empty());
  last = 1000;
  signs.look();
  last = 1030;
  signs.look();
  signs.deployment_ended("server-1", "network", false);
  signs.deployment_ended("server-1", "web", true);
  signs.deployment_ended("of-no-node", "x", false);
  signs.look();
  signs.look();
  const std::vector<std::string> all = {"its agent has asked for its metadata", "deployment network: done",
                                        "deployment web: failed"};
  EXPECT_EQ(told(), all);
}

TEST_F(Signs, whatEndsBeforeTheNodeIsActiveIsToldWhenItIs) {
  conductor->ledger().edit(uuid).state = State::deploying;
  conductor->settle();
  FirstSigns signs(*conductor, asked());
  last = 1000;
  signs.deployment_ended("server-1", "network", false);
  signs.look();
  EXPECT_TRUE(told().empty());
  deployed();
  signs.look();
  const std::vector<std::string> all = {"its agent has asked for its metadata", "deployment network: done"};
  EXPECT_EQ(told(), all);
}

TEST_F(Signs, aRestartTellsNothingTwiceAndWhatIsDeployedAnewIsToldAnew) {
  last = 1000;
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
  EXPECT_EQ(told().size(), 2U);
}

}  // namespace
}  // namespace hearth::bootstrap
