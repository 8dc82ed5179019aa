#include "bootstrap/conductor/transition.hpp"

#include <gtest/gtest.h>

#include "base/error.hpp"
#include "tests/fakes/manual_clock.hpp"

namespace hearth::bootstrap {
namespace {

class Transition : public ::testing::Test {
 protected:
  Transition() {
    Node node;
    node.uuid = "u";
    node.state = State::available;
    ledger.add(node);
  }
  Node& node() { return ledger.edit("u"); }
  Store store{":memory:"};
  fakes::ManualClock clock;
  Ledger ledger{store, clock};
};

TEST_F(Transition, aStepSetsTargetAndTimeAndIsAnEvent) {
  node().last_error = "old";
  apply(ledger, node(), Verb::deploy);
  EXPECT_EQ(node().target, State::active);
  EXPECT_EQ(node().last_error, "");
  EXPECT_EQ(node().provision_updated, ledger.now());
  ledger.commit();
  EXPECT_EQ(store.events({}).at(0).detail["by"], "deploy");
  EXPECT_THROW(apply(ledger, node(), Verb::provide), Refusal);
  EXPECT_THROW(apply(ledger, node(), Happening::resume), Error);
}

TEST_F(Transition, aFailureKeepsItsReasonAndLiftsWhatWasAskedOfPeople) {
  apply(ledger, node(), Verb::deploy);
  node().job.kind = JobKind::deploy;
  instruct(ledger, node(), "power-on-network", "Switch it on.", Seconds(60));
  EXPECT_EQ(node().instruction.deadline, ledger.now() + 60'000'000);
  fail(ledger, node(), "no disk");
  EXPECT_EQ(node().state, State::deploy_failed);
  EXPECT_EQ(node().last_error, "no disk");
  EXPECT_EQ(node().instruction.action, "");
  EXPECT_FALSE(node().job.running());
  ledger.commit();
  EXPECT_EQ(store.events({0, 10, "", true}).back().kind, "failure");
}

}  // namespace
}  // namespace hearth::bootstrap
