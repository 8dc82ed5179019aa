#include "agent/collect/daemon_state.hpp"
#include "agent/signal/journal.hpp"
#include "tests/unit/agent/doctor/doctor_fixture.hpp"

namespace hearth::agent {
namespace {

class DoctorPollingTest : public DoctorTest {
 protected:
  DoctorPollingTest() {
    files_.put("/var/lib/os-collect-config/cfn.json", "{}");
    files_.put("/var/lib/os-collect-config/cfn.json.last", "{}");
    files_.put("/var/lib/os-collect-config/os_config_files.json", "[]");
    polled_at(3590);
  }
  void polled_at(std::int64_t seconds) { modified_["/var/lib/os-collect-config/cfn.json"] = seconds; }
  CheckResult ask() { return check_polling(settings(), world()); }
};

TEST_F(DoctorPollingTest, AFreshAndAppliedDocumentIsFine) { EXPECT_EQ(problems(ask()), ""); }

TEST_F(DoctorPollingTest, AnEmptyCacheMeansThatNothingWasCollected) {
  modified_.clear();
  files_.files.erase("/var/lib/os-collect-config/cfn.json");
  EXPECT_EQ(problems(ask()), "there is nothing in /var/lib/os-collect-config: nothing was ever collected\n");
}

TEST_F(DoctorPollingTest, AnOldPollIsAProblemAndAFutureOneANote) {
  polled_at(600);
  EXPECT_EQ(problems(ask()), "the last poll was 3000 seconds ago\n");
  polled_at(9999);
  EXPECT_EQ(problems(ask()), "");
  EXPECT_EQ(ask().notes.size(), 1U);
}

TEST_F(DoctorPollingTest, ADocumentThatWasNotAppliedPointsToTheCommand) {
  files_.put("/var/lib/os-collect-config/cfn.json", "{\"new\": 1}");
  EXPECT_EQ(problems(ask()), "not applied yet: cfn.json\n");
}

class DoctorDaemonTest : public DoctorPollingTest {
 protected:
  DoctorDaemonTest() {
    files_.put("/proc/7/stat", "7 (x y) S 1 2 3 4 5 6 7 8 9 10 11 12 13 14 15 16 17 18 99 20");
    files_.put("/proc/sys/kernel/random/boot_id", "boot\n");
    files_.make_directories("/var/run", 0755);
    polled_at(-100'000'000);  // documents that did not change for years
  }
  /// So long after the start, which was 100 seconds ago at first.
  void at(int seconds) {
    clock_.advance(std::chrono::seconds(seconds - since_start_));
    since_start_ = seconds;
  }
  void daemon_tells(DaemonState::Doing doing, std::int64_t seconds = 0) {
    DaemonStateFile("/var/run/os-collect-config", files_, clock_, process_identity(files_, 7)).tell(doing, seconds);
  }
  int since_start_ = 100;
};

TEST_F(DoctorDaemonTest, DocumentsThatNeverChangeAreFineAsLongAsTheDaemonPolls) {
  daemon_tells(DaemonState::Doing::waiting, 30);
  at(240);
  EXPECT_EQ(problems(ask()), "");
  at(251);
  EXPECT_EQ(problems(ask()), "the next poll was due 121 seconds ago\n");
}

TEST_F(DoctorDaemonTest, AMachineThatSleptHasADaemonThatSleptToo) {
  daemon_tells(DaemonState::Doing::waiting, 30);
  clock_.set_ahead(std::chrono::hours(9));
  EXPECT_EQ(problems(ask()), "");
}

TEST_F(DoctorDaemonTest, ASlowCommandIsANoteAndAnEndlessOneAProblem) {
  files_.put("/var/lib/os-collect-config/cfn.json", "{\"new\": 1}");
  daemon_tells(DaemonState::Doing::running);
  at(4000);
  EXPECT_EQ(problems(ask()), "");
  EXPECT_EQ(ask().notes,
            (std::vector<std::string>{"the command has been running for 3900 seconds", "being applied: cfn.json"}));
  at(100 + 7 * 3600);
  EXPECT_EQ(problems(ask()), "the command has been running for 25200 seconds\n");
}

TEST_F(DoctorDaemonTest, AMachineThatHasJustStartedIsFine) {
  files_.files.erase("/var/lib/os-collect-config/cfn.json");
  daemon_tells(DaemonState::Doing::starting);
  EXPECT_EQ(problems(ask()), "");
  daemon_tells(DaemonState::Doing::polling);
  EXPECT_EQ(problems(ask()), "");
  at(1200);
  EXPECT_EQ(problems(ask()), "a poll has lasted for 1100 seconds\n");
}

TEST_F(DoctorDaemonTest, WhatADaemonThatIsGoneHasSaidCountsForNothing) {
  daemon_tells(DaemonState::Doing::waiting, 1);
  files_.files.erase("/proc/7/stat");
  at(9000);
  polled_at(3600 + 8890);
  EXPECT_EQ(problems(ask()), "");
}

}  // namespace
}  // namespace hearth::agent
