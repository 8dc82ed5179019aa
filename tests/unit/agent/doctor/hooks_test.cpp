#include "agent/signal/journal.hpp"
#include "tests/unit/agent/doctor/doctor_fixture.hpp"

namespace hearth::agent {
namespace {

class DoctorHooksTest : public DoctorTest {
 protected:
  DoctorHooksTest() { files_.make_directories("/var/lib/heat-config/deployed", 0700); }
  std::string ask(const std::string& deployments) {
    return problems(check_hooks(poll(R"({"cfn": {"deployments": )" + deployments + "}}"), world()));
  }
  SignalJournal journal_{files_, "/var/lib/heat-config/deployed"};
};

TEST_F(DoctorHooksTest, BuiltInAndForeignHooksAreFound) {
  files_.put("/var/lib/heat-config/hooks/ours", "", 0755);
  EXPECT_EQ(ask(R"([{"group": "script"}, {"group": "ours"}, {"group": "os-apply-config"}, 3])"), "");
  EXPECT_EQ(ask(R"([{"group": "theirs"}])"), "there is no hook for group theirs\n");
}

TEST_F(DoctorHooksTest, AHookWithoutItsToolIsAProblem) {
  EXPECT_EQ(ask(R"([{"group": "puppet"}, {"group": "ansible"}])"),
            "ansible-playbook is not installed\npuppet is not installed\n");
  files_.put("/opt/puppet", "", 0755);
  env_["HEAT_PUPPET_CMD"] = "/opt/puppet";
  EXPECT_EQ(ask(R"([{"group": "puppet"}])"), "");
}

TEST_F(DoctorHooksTest, FailedAndLostDeploymentsAreTold) {
  files_.put("/var/lib/heat-config/deployed/a.notify.json",
             R"({"deploy_status_code": 3, "deploy_stderr": "x\nno such package\n"})");
  journal_.store("a", {.state = SignalRecord::State::delivered});
  journal_.store("b", {.state = SignalRecord::State::running, .owner = "otherboot/1/2"});
  EXPECT_EQ(ask(R"([{"id": "a"}])"),
            "deployment a failed with status 3: no such package\ndeployment b was cut off while it ran\n");
}

TEST_F(DoctorHooksTest, WhatFailedLastYearAndWasReplacedIsHistory) {
  files_.put("/var/lib/heat-config/deployed/a.notify.json", R"({"deploy_status_code": 3})");
  journal_.store("a", {.state = SignalRecord::State::delivered});
  EXPECT_EQ(ask(R"([{"id": "later", "group": "script"}])"), "");
  files_.put("/var/run/heat-config/heat-config", R"([{"id": "a"}])");
  EXPECT_EQ(ask("[]"), "deployment a failed with status 3\n");
}

}  // namespace
}  // namespace hearth::agent
