#include "agent/refresh/phases.hpp"

#include <gmock/gmock.h>

#include "base/run_parts.hpp"
#include "base/text.hpp"
#include "tests/fakes/manual_clock.hpp"
#include "tests/fakes/memory_file_system.hpp"
#include "tests/fakes/memory_logger.hpp"
#include "tests/fakes/scripted_runner.hpp"

namespace hearth::agent {
namespace {

using testing::ElementsAre;

class PhasesTest : public testing::Test {
 protected:
  PhasesTest() {
    for (const std::string_view phase : k_node_phases) files_.make_directories(cat("/b/", phase, ".d"), 0755);
  }
  int run(std::optional<Duration> timeout = {}) {
    const RunDirectory run = [this](const std::string& directory, const Deadline& deadline) -> ExitStatus {
      ran_.push_back(directory);
      limited_.push_back(!deadline.is_never());
      const auto status = statuses_.find(directory);
      return status == statuses_.end() ? ExitStatus(Exited{0}) : status->second;
    };
    return run_phases({"/b", timeout}, run, files_, clock_, log_);
  }
  fakes::MemoryFileSystem files_;
  fakes::ManualClock clock_;
  fakes::MemoryLogger log_;
  std::map<std::string, ExitStatus> statuses_;
  std::vector<std::string> ran_;
  std::vector<bool> limited_;
};

TEST_F(PhasesTest, AllPhasesRunInOrder) {
  EXPECT_EQ(run(), 0);
  EXPECT_THAT(ran_, ElementsAre("/b/pre-configure.d", "/b/configure.d", "/b/post-configure.d", "/b/migration.d"));
  EXPECT_THAT(log_.lines, testing::Contains("INFO Completed phase migration"));
}

TEST_F(PhasesTest, AMissingDirectoryIsPassedOver) {
  files_.directories.erase("/b/configure.d");
  EXPECT_EQ(run(), 0);
  EXPECT_THAT(ran_, ElementsAre("/b/pre-configure.d", "/b/post-configure.d", "/b/migration.d"));
  EXPECT_THAT(log_.lines, testing::Contains("DEBUG No dir for phase configure"));
}

TEST_F(PhasesTest, AFailureCallsTheErrorHandlersAndEndsTheRun) {
  files_.make_directories("/b/error.d", 0755);
  statuses_["/b/configure.d"] = Exited{3};
  EXPECT_EQ(run(), 1);
  EXPECT_THAT(ran_, ElementsAre("/b/pre-configure.d", "/b/configure.d", "/b/error.d"));
  EXPECT_THAT(log_.lines,
              testing::Contains("ERROR during configure phase. [Command '['dib-run-parts', '/b/configure.d']' "
                                "returned non-zero exit status 3.]\n"));
  EXPECT_EQ(log_.lines.back(), "ERROR Aborting...");
}

TEST_F(PhasesTest, FailingErrorHandlersChangeNothing) {
  files_.make_directories("/b/error.d", 0755);
  statuses_["/b/error.d"] = Exited{9};
  statuses_["/b/configure.d"] = Exited{3};
  EXPECT_EQ(run(), 1);
}

TEST_F(PhasesTest, ATimeoutIsToldAndErrorHandlersAreNotLimited) {
  files_.make_directories("/b/error.d", 0755);
  statuses_["/b/pre-configure.d"] = TimedOut{};
  EXPECT_EQ(run(std::chrono::seconds(5)), 1);
  EXPECT_THAT(log_.lines, testing::Contains("ERROR Timeout reached: 5s. Sending SIGKILL to all children"));
  EXPECT_THAT(limited_, ElementsAre(true, false));
}

TEST_F(PhasesTest, TheOldBaseIsUsedOnlyWhereTheNewOneIsMissing) {
  files_.make_directories("/opt/stack/os-config-refresh", 0755);
  EXPECT_EQ(base_directory({}, files_).path, "/opt/stack/os-config-refresh");
  EXPECT_TRUE(base_directory({}, files_).deprecated);
  files_.make_directories("/usr/libexec/os-refresh-config", 0755);
  EXPECT_EQ(base_directory({}, files_).path, "/usr/libexec/os-refresh-config");
  EXPECT_EQ(base_directory({{"OS_REFRESH_CONFIG_BASE_DIR", "/x"}}, files_).path, "/x");
}

TEST(RunDirectoryTest, TheInstalledDibRunPartsIsPreferred) {
  const TempDir dir = TempDir::create("/tmp", "phases-test-");
  RealFileSystem().write(dir.path() / "dib-run-parts", "#!/bin/sh\n", {.mode = 0755});
  fakes::ScriptedRunner runner;
  runner.on("dib-run-parts", 4);
  const fakes::ManualClock clock;
  const RunDirectory run = run_directory_with(runner, clock, {{"PATH", dir.path().string()}});
  EXPECT_EQ(run("/b/x.d", Deadline::never()), ExitStatus(Exited{4}));
  EXPECT_THAT(runner.ran.at(0).argv, ElementsAre("dib-run-parts", "/b/x.d"));
}

TEST(RunDirectoryTest, WithoutAnInstalledOneOurOwnRunsTheScripts) {
  const TempDir dir = TempDir::create("/tmp", "phases-test-");
  RealFileSystem().write(dir.path() / "10-x", "#!/bin/sh\n", {.mode = 0755});
  fakes::ScriptedRunner runner;
  runner.on("10-x", 6);
  const fakes::ManualClock clock;
  const RunDirectory run = run_directory_with(runner, clock, {{"PATH", "/nonexistent"}});
  EXPECT_EQ(run(dir.path().string(), Deadline::never()), ExitStatus(Exited{6}));
}

}  // namespace
}  // namespace hearth::agent
