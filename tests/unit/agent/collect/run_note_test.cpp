#include "agent/collect/run_note.hpp"

#include <fcntl.h>
#include <gtest/gtest.h>
#include <sys/wait.h>
#include <unistd.h>

#include "base/sys/fd.hpp"
#include "base/sys/file.hpp"
#include "base/sys/process.hpp"

namespace hearth::agent {
namespace {

class RunNoteTest : public testing::Test {
 protected:
  /// Runs a script with its stderr noted; its exit code.
  int run(const std::string& script) {
    const pid_t pid = start_companion([&] {
      const Fd err = Fd::open(path("err"), O_WRONLY | O_CREAT | O_APPEND);
      ::dup2(err.get(), STDERR_FILENO);
      return note_run_main({path("note"), "/bin/sh", "-c", script});
    });
    int raw = 0;
    EXPECT_EQ(::waitpid(pid, &raw, 0), pid);
    return WIFEXITED(raw) ? WEXITSTATUS(raw) : -1;
  }
  [[nodiscard]] std::string path(const char* name) const { return (directory_.path() / name).string(); }
  [[nodiscard]] std::string note() { return read_run_note(path("note"), clock_); }

  TempDir directory_ = TempDir::create("/tmp", "note-");
  SystemClock clock_;
};

TEST_F(RunNoteTest, WhatARunWritesToStderrIsNotedAndGoesWhereItWent) {
  EXPECT_EQ(run("echo out; echo one >&2; echo two >&2; exit 3"), 3);
  EXPECT_EQ(note(), "one\ntwo\n");
  EXPECT_EQ(read_file(path("err")), "one\ntwo\n");
}

TEST_F(RunNoteTest, OnlyTheEndOfAFloodIsKept) {
  EXPECT_EQ(run("i=0; while [ $i -lt 5000 ]; do echo line $i >&2; i=$((i + 1)); done"), 0);
  EXPECT_LE(note().size(), 16384U);
  EXPECT_NE(note().find("line 4999\n"), std::string::npos);
  EXPECT_NE(read_file(path("err")).find("line 0\n"), std::string::npos);
}

TEST_F(RunNoteTest, WhatARunLeavesBehindKeepsItsStderr) {
  EXPECT_EQ(run("(sleep 0.3; echo late >&2) & exit 0"), 0);
  const Deadline end = Deadline::after(std::chrono::seconds(20), clock_);
  while (read_file(path("err")).empty() && !end.passed(clock_.now())) clock_.sleep(std::chrono::milliseconds(10));
  EXPECT_EQ(read_file(path("err")), "late\n");
}

TEST_F(RunNoteTest, WhereNothingCanBeNotedItRunsAllTheSame) {
  const pid_t pid = start_companion([] { return note_run_main({"/proc/none/note", "/bin/sh", "-c", "exit 4"}); });
  int raw = 0;
  EXPECT_EQ(::waitpid(pid, &raw, 0), pid);
  EXPECT_EQ(WEXITSTATUS(raw), 4);
  EXPECT_EQ(read_run_note("/proc/none/note", clock_), "");
}

TEST_F(RunNoteTest, TheRunFindsNoChildThatItDidNotStart) {
  EXPECT_EQ(run("kids=$(cat /proc/$$/task/$$/children); set -- $kids; [ $# -le 1 ]"), 0);
}

}  // namespace
}  // namespace hearth::agent
