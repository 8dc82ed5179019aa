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

}  // namespace
}  // namespace hearth::agent
