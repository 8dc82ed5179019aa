#include "builder/target/stragglers.hpp"

#include <gmock/gmock.h>
#include <sys/wait.h>

#include <csignal>

#include "tests/unit/builder/in_namespace.hpp"

namespace hearth::builder {
namespace {

using testing::IsEmpty;
using testing::UnorderedElementsAre;

/// A process of this name in a session of its own, as a daemon is; returns when it runs.
void leave_behind(const char* name) {
  const Pipe started = Pipe::create();
  if (::fork() == 0) {
    ::setsid();
    ::prctl(PR_SET_NAME, name);
    write_all(started.write, "x", "the pipe");
    while (true) ::pause();
  }
  char byte = 0;
  ASSERT_EQ(::read(started.read.get(), &byte, 1), 1);
}

void mount_own_proc() { mount_file_system("proc", "proc", "/proc", 0, ""); }

class StragglersTest : public testing::Test {
 protected:
  void SetUp() override { HEARTH_NEEDS_NAMESPACES(); }
};

TEST_F(StragglersTest, AreNamedKilledAndReaped) {
  in_namespace([] {
    mount_own_proc();
    leave_behind("first");
    leave_behind("second");
    EXPECT_THAT(kill_stragglers(), UnorderedElementsAre("first", "second"));
    EXPECT_EQ(::waitpid(-1, nullptr, WNOHANG), -1);
    EXPECT_EQ(errno, ECHILD);
    EXPECT_THAT(kill_stragglers(), IsEmpty());
  });
}

TEST_F(StragglersTest, AProcessThatHasEndedIsNone) {
  in_namespace([] {
    mount_own_proc();
    const pid_t child = ::fork();
    if (child == 0) ::_exit(0);
    siginfo_t info{};
    ::waitid(P_PID, static_cast<id_t>(child), &info, WEXITED | WNOWAIT);  // it is a zombie now
    EXPECT_THAT(kill_stragglers(), IsEmpty());
  });
}

TEST_F(StragglersTest, OneThatForksAllTheTimeDoesNotGetAway) {
  in_namespace([] {
    mount_own_proc();
    if (::fork() == 0) {
      while (true) {
        if (::fork() > 0) ::_exit(0);  // the child goes on: a new pid at every look
      }
    }
    ::usleep(20'000);
    (void)kill_stragglers();
    EXPECT_EQ(::kill(-1, 0), -1);
    EXPECT_EQ(errno, ESRCH);
  });
}

TEST_F(StragglersTest, WithTheHostsProcTheyAreKilledAllTheSameAndNobodyIsBlamed) {
  in_namespace([] {
    leave_behind("hidden");
    EXPECT_THAT(kill_stragglers(), IsEmpty());
    EXPECT_EQ(::waitpid(-1, nullptr, WNOHANG), -1);
  });
}

TEST(Stragglers, OutsideOfANamespaceNobodyIsKilled) {
  const pid_t child = ::fork();
  if (child == 0) {
    while (true) ::pause();
  }
  EXPECT_THAT(kill_stragglers(), IsEmpty());
  EXPECT_EQ(::waitpid(child, nullptr, WNOHANG), 0);
  ::kill(child, SIGKILL);
  ::waitpid(child, nullptr, 0);
}

}  // namespace
}  // namespace hearth::builder
