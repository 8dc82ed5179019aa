#include "agent/doctor/status.hpp"

#include "agent/collect/daemon_state.hpp"
#include "agent/signal/journal.hpp"
#include "tests/unit/agent/doctor/doctor_fixture.hpp"

namespace hearth::agent {
namespace {

TEST_F(DoctorTest, TheStatusTellsFactsAndNoJudgement) {
  files_.put("/var/lib/os-collect-config/cfn.json", "{}");
  files_.put("/var/lib/heat-config/deployed/a.notify.json", R"({"deploy_status_code": 3})");
  SignalJournal journal(files_, "/var/lib/heat-config/deployed");
  journal.store("a", {.attempts = 2, .reason = "HTTP 503\nforged"});
  files_.put("/var/lib/heat-config/deployed/b.signal", "{");
  const Json status = status_of(world());
  EXPECT_EQ(status["daemon"]["running"], false);
  EXPECT_EQ(status["documents"], parse_python_json(R"([{"name": "cfn", "applied": false}])", "t").value_or_throw());
  EXPECT_EQ(status_text(status),
            "os-collect-config: it does not run, or another program of that name does\n"
            "document cfn: not applied yet\n"
            "deployment a: status 3, signal pending (HTTP 503\\nforged)\n"
            "deployment b: signal damaged\n");
}

TEST_F(DoctorTest, TheStatusOfADaemonThatWaits) {
  files_.put("/proc/7/stat", "7 (x y) S 1 2 3 4 5 6 7 8 9 10 11 12 13 14 15 16 17 18 99 20");
  files_.put("/proc/sys/kernel/random/boot_id", "boot\n");
  files_.make_directories("/var/run", 0755);
  DaemonStateFile("/var/run/os-collect-config", files_, clock_, process_identity(files_, 7))
      .tell(DaemonState::Doing::waiting, 30);
  clock_.advance(std::chrono::seconds(10));
  EXPECT_EQ(status_text(status_of(world())), "os-collect-config: waiting for 10 s, next poll in 20 s\n");
}

}  // namespace
}  // namespace hearth::agent
