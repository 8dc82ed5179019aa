#include "agent/heat_config/notify.hpp"

#include <gtest/gtest.h>

#include "tests/fakes/manual_clock.hpp"
#include "tests/fakes/memory_file_system.hpp"
#include "tests/fakes/memory_logger.hpp"
#include "tests/fakes/scripted_http.hpp"

namespace hearth::agent {
namespace {

class NotifyTest : public testing::Test {
 protected:
  NotifyTest() { files_.put("/d/a.json", R"({"inputs": [{"name": "deploy_signal_id", "value": "http://h/a"}]})"); }
  int notify(const std::string& file, const std::string& input) {
    return run_heat_config_notify(file, input, {files_, log_, {http_, clock_, [] { return 0.0; }}, {}});
  }
  fakes::MemoryFileSystem files_;
  fakes::MemoryLogger log_;
  fakes::ScriptedHttp http_;
  fakes::ManualClock clock_;
  SignalJournal journal_{files_, "/d"};
};

TEST_F(NotifyTest, ADeliveredSignalIsNoted) {
  http_.on("POST", "http://h/a", 200);
  EXPECT_EQ(notify("/d/a.json", R"({"k": 1})"), 0);
  EXPECT_EQ(journal_.load("a")->state, SignalRecord::State::delivered);
}

TEST_F(NotifyTest, AnUndeliveredSignalStaysOnDisk) {
  EXPECT_EQ(notify("/d/a.json", R"({"k": 1})"), 1);
  EXPECT_EQ(journal_.load("a")->state, SignalRecord::State::pending);
  EXPECT_EQ(journal_.load("a")->data, Json({{"k", 1}}));
}

TEST_F(NotifyTest, HttpErrorsAreNotSuccess) {
  http_.on("POST", "http://h/a", 404);
  EXPECT_EQ(notify("/d/a.json", "{}"), 1);
  EXPECT_EQ(journal_.load("a")->state, SignalRecord::State::refused);
}

TEST_F(NotifyTest, BadInputIsAnEmptySignalAndAMissingFileAnError) {
  http_.on("POST", "http://h/a", 200);
  EXPECT_EQ(notify("/d/a.json", "no json"), 0);
  EXPECT_EQ(http_.sent.at(0).body, "{}");
  EXPECT_EQ(notify("/d/b.json", "{}"), 1);
}

}  // namespace
}  // namespace hearth::agent
