#include "bootstrap/rehearse/fault.hpp"

#include <gtest/gtest.h>

#include <array>

namespace hearth::bootstrap {
namespace {

const std::vector<std::string> k_machines = {"node1", "node2"};

TEST(Fault, isReadWithMachineAndState) {
  const Result<InjectedFault, std::string> fault = parse_fault("power-loss:node2@deploying", k_machines);
  ASSERT_TRUE(fault) << fault.error();
  EXPECT_EQ(*fault, (InjectedFault{FaultKind::power_loss, "node2", "deploying"}));
  EXPECT_EQ(fault->text(), "power-loss:node2@deploying");
  EXPECT_EQ(parse_fault("dead-disk:node1", k_machines).value().text(), "dead-disk:node1");
  EXPECT_EQ(parse_fault("lossy-link:node1@wait call-back", k_machines).value().state, "wait call-back");
}

struct Wrong {
  const char* text;
  const char* message;
};

TEST(Fault, whatCanNotBeIsRefusedWithTheReason) {
  const std::array<Wrong, 8> cases = {{{"flood:node1", "one of power-loss, dead-disk, lossy-link, wrong-mac"},
                                       {"", "one of power-loss, dead-disk, lossy-link, wrong-mac"},
                                       {"wrong-mca:node1", "did you mean wrong-mac?"},
                                       {"wrong-password:node1@deploying", "from the beginning: leave out @deploying"},
                                       {"dead-disk", "FAULT:MACHINE[@STATE]"},
                                       {"dead-disk:node3", "no machine 'node3' (node"},
                                       {"dead-disk:node1@lunch", "'lunch' is no state"},
                                       {"power-loss:node1", "say when"}}};
  for (const Wrong& wrong : cases) {
    const Result<InjectedFault, std::string> fault = parse_fault(wrong.text, k_machines);
    ASSERT_FALSE(fault) << wrong.text;
    EXPECT_NE(fault.error().find(wrong.message), std::string::npos) << fault.error();
  }
}

TEST(FaultPlan, eachFaultIsDueOnceAtItsMachineAndState) {
  FaultPlan plan({{FaultKind::dead_disk, "node1", ""}, {FaultKind::power_loss, "node2", "deploying"}});
  EXPECT_EQ(plan.at_start().size(), 1U);
  EXPECT_TRUE(plan.at_start().empty());
  EXPECT_TRUE(plan.on_state("node1", "deploying").empty());
  EXPECT_TRUE(plan.on_state("node2", "available").empty());
  EXPECT_EQ(plan.waiting().size(), 1U);
  EXPECT_EQ(plan.on_state("node2", "deploying").size(), 1U);
  EXPECT_TRUE(plan.on_state("node2", "deploying").empty());
  EXPECT_TRUE(plan.waiting().empty());
}

TEST(FaultPlan, whatCouldNotHappenIsDueAgain) {
  FaultPlan plan({{FaultKind::power_loss, "node2", "deploying"}});
  plan.put_back(plan.on_state("node2", "deploying").at(0));
  EXPECT_TRUE(plan.on_state("node2", "wait call-back").empty());
  EXPECT_EQ(plan.on_state("node2", "deploying").size(), 1U);
}

}  // namespace
}  // namespace hearth::bootstrap
