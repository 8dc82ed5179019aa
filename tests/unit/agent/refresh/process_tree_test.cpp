#include "agent/refresh/process_tree.hpp"

#include <gmock/gmock.h>
#include <unistd.h>

#include "base/sys/file.hpp"
#include "base/text.hpp"

namespace hearth::agent {
namespace {

TEST(ProcessTreeTest, DescendantsAreFoundThroughAllGenerations) {
  const ProcessParents parents = {{2, 1}, {3, 2}, {4, 3}, {5, 1}, {6, 5}};
  EXPECT_THAT(descendants_of(2, parents), testing::UnorderedElementsAre(3, 4));
  EXPECT_THAT(descendants_of(6, parents), testing::IsEmpty());
}

TEST(ProcessTreeTest, TheSystemsProcessesIncludeThisOneUnderItsParent) {
  EXPECT_EQ(read_process_parents()[::getpid()], ::getppid());
}

bool runs(const std::string& pid) {
  const std::string stat = RealFileSystem().read(cat("/proc/", pid, "/stat")).value_or("");
  return !stat.empty() && stat.find(") Z") == std::string::npos;
}

TEST(ProcessTreeTest, TheDeadlineKillsGrandchildrenInSessionsOfTheirOwn) {
  const TempDir dir = TempDir::create("/tmp", "process-tree-test-");
  const std::string note = (dir.path() / "pid").string();
  const SystemClock clock;
  const CommandResult result = TreeRunner(clock).run(
      {.argv = {"/bin/sh", "-c",
                cat("setsid sh -c 'echo $$ >", note, ".new; mv ", note, ".new ", note, "; sleep 100' & wait")},
       .deadline = Deadline::after(std::chrono::milliseconds(1500), clock)});
  EXPECT_TRUE(std::holds_alternative<TimedOut>(result.status));
  const std::string pid(trim(read_file(note)));
  for (int i = 0; i < 100 && runs(pid); ++i) ::usleep(10'000);  // init reaps it in its own time
  EXPECT_FALSE(runs(pid)) << pid;
}

TEST(ProcessTreeTest, AnExitBeforeTheDeadlineIsAResult) {
  const SystemClock clock;
  const CommandResult result = TreeRunner(clock).run(
      {.argv = {"/bin/sh", "-c", "exit 4"}, .deadline = Deadline::after(std::chrono::minutes(1), clock)});
  EXPECT_EQ(result.status, ExitStatus(Exited{4}));
}

}  // namespace
}  // namespace hearth::agent
