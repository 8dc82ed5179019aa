#include "agent/signal/journal.hpp"
#include "tests/unit/agent/doctor/doctor_fixture.hpp"

namespace hearth::agent {
namespace {

TEST_F(DoctorTest, PendingRefusedAndDamagedSignalsAreTold) {
  files_.make_directories("/var/lib/heat-config/deployed", 0700);
  SignalJournal journal(files_, "/var/lib/heat-config/deployed");
  journal.store("a", {.state = SignalRecord::State::delivered});
  const Poll known = poll(R"({"cfn": {"deployments": [{"id": "a"}, {"id": "b"}, {"id": "c"}]}})");
  EXPECT_EQ(problems(check_signals(known, world())), "");
  journal.store("b", {.attempts = 2, .next_attempt = 3660, .reason = "HTTP 503"});
  journal.store("c", {.state = SignalRecord::State::refused, .reason = "HTTP 404"});
  files_.put("/var/lib/heat-config/deployed/d.signal", "{");
  const CheckResult result = check_signals(known, world());
  EXPECT_EQ(problems(result),
            "the signal of deployment b is pending after 2 attempts: HTTP 503\n"
            "the server has refused the signal of deployment c: HTTP 404\n"
            "the record of deployment d is damaged\n");
  EXPECT_NE(result.problems.at(0).advice.find("in 60 seconds"), std::string::npos);
}

TEST_F(DoctorTest, SignalsOfDeploymentsThatAreGoneAreNoProblem) {
  files_.make_directories("/var/lib/heat-config/deployed", 0700);
  SignalJournal journal(files_, "/var/lib/heat-config/deployed");
  journal.store("b", {.attempts = 2, .reason = "HTTP 401"});
  journal.store("c", {.state = SignalRecord::State::refused, .reason = "HTTP 404"});
  const CheckResult result = check_signals(poll("{}"), world());
  EXPECT_EQ(problems(result), "");
  EXPECT_EQ(result.notes.size(), 1U);
}

}  // namespace
}  // namespace hearth::agent
