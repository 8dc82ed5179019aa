#include "agent/run_parts/run_parts.hpp"

#include <gmock/gmock.h>

#include "base/sys/file.hpp"
#include "base/text.hpp"

namespace hearth::agent {
namespace {

using testing::ElementsAre;

class RunPartsTest : public testing::Test {
 protected:
  void script(const std::string& name, const std::string& text, const std::string& directory = "parts d") {
    RealFileSystem files;
    files.make_directories(dir_.path() / directory, 0755);
    files.write(dir_.path() / directory / name, text, {.mode = 0755});
  }
  int run(bool trace = false) {
    SystemClock clock;
    RealRunner runner(clock);
    return run_parts({.directory = (dir_.path() / "parts d").string(), .trace = trace}, runner, clock,
                     [this](std::string_view text) { said_.emplace_back(text); });
  }
  std::string log() const { return RealFileSystem().read(dir_.path() / "log").value_or(""); }
  std::string note(const std::string& text) const {
    return cat("#!/bin/sh\necho ", text, " >>", dir_.path().string(), "/log\n");
  }
  TempDir dir_ = TempDir::create("/tmp", "run-parts-test-");
  std::vector<std::string> said_;
};

TEST_F(RunPartsTest, RunsInOrderInADirectoryWithABlankInItsName) {
  script("10-b", note("second"));
  script("9-a", note("first"));
  EXPECT_EQ(run(), 0);
  EXPECT_EQ(log(), "first\nsecond\n");
  EXPECT_THAT(said_, testing::Contains("Target: parts d"));
  EXPECT_EQ(said_[0], cat("Running ", dir_.path().string(), "/parts d/9-a"));
  EXPECT_EQ(said_[1], "9-a completed");
}

TEST_F(RunPartsTest, TheFirstFailureEndsTheRunWithItsStatusAndNoTable) {
  script("1", "#!/bin/sh\nexit 7\n");
  script("2", note("never"));
  EXPECT_EQ(run(), 7);
  EXPECT_EQ(log(), "");
  EXPECT_EQ(said_.size(), 1U);
}

TEST_F(RunPartsTest, AKilledScriptCountsAs128PlusItsSignal) {
  script("1", "#!/bin/sh\nkill -TERM $$\n");
  EXPECT_EQ(run(), 143);
}

TEST_F(RunPartsTest, AScriptWithoutAFirstLineRunsUnderBash) {
  script("1", cat("[[ -n $BASH ]] && echo bash >>", dir_.path().string(), "/log\n"));
  EXPECT_EQ(run(), 0);
  EXPECT_EQ(log(), "bash\n");
}

TEST_F(RunPartsTest, AnEmptyEnvironmentDirectoryIsFine) {
  script("1", note("ran"));
  RealFileSystem().make_directories(dir_.path() / "environment.d", 0755);
  EXPECT_EQ(run(), 0);
  EXPECT_EQ(log(), "ran\n");
}

TEST_F(RunPartsTest, ScriptsSeeWhatEnvironmentFilesExport) {
  script("1", note("$HEARTH_X"));
  script("10", "export HEARTH_X=seen\n", "environment.d");
  EXPECT_EQ(run(), 0);
  EXPECT_EQ(log(), "seen\n");
}

TEST_F(RunPartsTest, AnEnvironmentFileThatExitsEndsTheRunBeforeAnyScript) {
  script("1", note("never"));
  script("10", "exit 5\n", "environment.d");
  EXPECT_EQ(run(), 5);
  EXPECT_EQ(log(), "");
}

TEST_F(RunPartsTest, TracingNamesWhatIsPassedOver) {
  script("10.dot", note("never"));
  EXPECT_EQ(run(true), 0);
  EXPECT_EQ(said_[0], "Ignoring non-conforming filenames:");
  EXPECT_EQ(said_[1], "10.dot");
}

TEST(ProfileTableTest, HasOneAlignedLinePerScript) {
  EXPECT_THAT(profile_table("install.d", {{"10-x", 1.23456}}),
              ElementsAre("----------------------- PROFILING -----------------------", "", "Target: install.d", "",
                          "Script                                     Seconds",
                          "---------------------------------------  ----------", "",
                          "10-x                                          1.235", "",
                          "--------------------- END PROFILING ---------------------"));
}

}  // namespace
}  // namespace hearth::agent
