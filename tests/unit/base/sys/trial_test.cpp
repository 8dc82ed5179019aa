#include "base/sys/trial.hpp"

#include <fcntl.h>
#include <gtest/gtest.h>
#include <poll.h>
#include <sys/mman.h>
#include <sys/prctl.h>
#include <sys/wait.h>
#include <unistd.h>

#include <atomic>
#include <csignal>
#include <fstream>
#include <thread>
#include <vector>

#include "base/error.hpp"
#include "base/sys/process.hpp"
#include "base/text.hpp"
#include "tests/fakes/manual_clock.hpp"
#include "tests/unit/base/in_child.hpp"

namespace hearth {
namespace {

using namespace std::chrono_literals;
using Breath = Trial::Breath;

const TrialLimits k_small = {.processor = 2s, .stretch = 200ms, .wall = 60s, .memory = 64U << 20U};

TrialOutcome ended(Trial& trial) {
  while (!trial.take()) {
    pollfd pipe{trial.descriptor(), POLLIN, 0};
    ::poll(&pipe, 1, -1);
  }
  return trial.outcome();
}

TrialOutcome tried(const std::function<std::string(const Breath&)>& work, const TrialLimits& limits = k_small) {
  const SystemClock clock;
  Trial trial(limits, clock, work);
  return ended(trial);
}

/// Uses processor time until it is ended.
[[noreturn]] void spin(const Breath& breathe) {
  for (std::atomic<std::uint64_t> turns = 0;; ++turns) {
    if (turns % 1000 == 0 && breathe) breathe();
  }
}

/// Whoever has ended may still wait to be reaped.
bool runs(pid_t pid) {
  std::ifstream stat(cat("/proc/", pid, "/stat"));
  std::string number;
  std::string name;
  std::string state;
  return stat >> number >> name >> state && state != "Z";
}

TEST(Trial, GivesWhatTheWorkReturnsHoweverLongAndLeavesThisProcessAsItWas) {
  int touched = 0;
  const TrialOutcome outcome = tried([&](const Breath& breathe) {
    touched = 1;
    breathe();
    return std::string(5'000'000, 'x') + '\0';
  });
  EXPECT_EQ(outcome.end, TrialEnd::answered);
  EXPECT_EQ(outcome.text, std::string(5'000'000, 'x') + '\0');
  EXPECT_EQ(touched, 0);
}

TEST(Trial, TellsWhatTheWorkThrew) {
  const TrialOutcome outcome =
      tried([](const Breath&) -> std::string { throw Error(ErrorKind::input, "no such thing"); });
  EXPECT_EQ(outcome.end, TrialEnd::failed);
  EXPECT_EQ(outcome.text, "no such thing");
}

TEST(Trial, EndsWorkThatHasNoEnd) {
  EXPECT_EQ(tried([](const Breath&) -> std::string { spin({}); }).end, TrialEnd::stretch);
  EXPECT_EQ(tried([](const Breath& breathe) -> std::string { spin(breathe); }, {.processor = 1s, .stretch = 500ms}).end,
            TrialEnd::processor);
}

TEST(Trial, EndsWorkThatTakesMoreMemoryThanItMay) {
#if defined(__SANITIZE_ADDRESS__) || defined(__SANITIZE_THREAD__)
  GTEST_SKIP() << "a sanitizer's allocator ends a copy that gets no memory in its own way, or never";
#endif
  std::vector<std::string> present(100, std::string(1 << 20, 'x'));  // what is there already counts for nothing
  const auto takes = [](std::size_t megabytes) {
    return [megabytes](const Breath& breathe) {  // a page that was never there takes long where a hypervisor makes it
      std::vector<std::string> eaten;
      for (; eaten.size() < megabytes; breathe()) eaten.emplace_back(1 << 20, 'x');
      return std::string("done");
    };
  };
  EXPECT_EQ(tried(takes(20)).text, "done");
  EXPECT_EQ(tried(takes(1000)).end, TrialEnd::memory);
}

TEST(Trial, IsToldOfWorkThatDies) {
  const TrialOutcome outcome = tried([](const Breath&) -> std::string { std::abort(); });
  EXPECT_EQ(outcome.end, TrialEnd::died);
  EXPECT_EQ(outcome.text, "SIGABRT");
  EXPECT_EQ(tried([](const Breath&) -> std::string { ::_exit(0); }).end, TrialEnd::died);
}

TEST(Trial, EndsWorkThatOnlyWaitsAtItsDeadline) {
  fakes::ManualClock clock;
  Trial trial(k_small, clock, [](const Breath&) -> std::string {
    while (true) ::pause();
  });
  EXPECT_FALSE(trial.end_if_late());
  clock.advance(59s);
  EXPECT_FALSE(trial.end_if_late());
  clock.advance(1s);
  EXPECT_TRUE(trial.end_if_late());
  EXPECT_EQ(trial.outcome().end, TrialEnd::wall);
}

TEST(Trial, HasNoDescriptorOfThisProcessAndNoSignalHandler) {
  (void)std::signal(SIGUSR1, [](int) {});
  const Fd open = Fd::open("/dev/null", O_RDONLY);
  const int high = ::fcntl(open.get(), F_DUPFD_CLOEXEC, 700);
  const TrialOutcome outcome = tried([&](const Breath&) {
    struct sigaction now {};
    ::sigaction(SIGUSR1, nullptr, &now);
    return cat(::fcntl(open.get(), F_GETFD) < 0 || open.get() == 3, ::fcntl(high, F_GETFD) < 0,
               now.sa_handler == SIG_IGN);
  });
  ::close(high);
  (void)std::signal(SIGUSR1, SIG_DFL);
  EXPECT_EQ(outcome.text, "111");
}

TEST(Trial, GoesOnWhenAllProcessesOfTheServerAreToldToLookAtTheirFiles) {
  const TrialOutcome outcome = tried([](const Breath&) {
    for (const int number : {SIGHUP, SIGUSR1, SIGUSR2, SIGALRM}) (void)std::raise(number);
    return std::string("done");
  });
  EXPECT_EQ(outcome.text, "done");
}

TEST(Trial, IsWhatEndsWhereTheMachineHasNoMemoryLeftThoughNoRootRunsIt) {
  const int end = in_child([] {
    if (::geteuid() == 0 && (::setresgid(65534, 65534, 65534) != 0 || ::setresuid(65534, 65534, 65534) != 0)) return 2;
    ::prctl(PR_SET_DUMPABLE, 1);
    const TrialOutcome outcome = tried([](const Breath&) {
      std::string text;
      std::ifstream("/proc/self/oom_score_adj") >> text;
      return text;
    });
    return outcome.text == "1000" ? 0 : 1;
  });
  EXPECT_EQ(end, 0);
}

TEST(Trial, EndsWithWhoeverHoldsIt) {
  const SystemClock clock;
  auto trial = std::make_unique<Trial>(k_small, clock, [](const Breath&) -> std::string {
    while (true) ::pause();
  });
  trial.reset();
  EXPECT_LT(::waitpid(-1, nullptr, WNOHANG), 0) << "no child is left, running or not";
}

TEST(Trial, EndsWithAProcessThatIsKilled) {
  auto* copy = static_cast<std::atomic<pid_t>*>(
      ::mmap(nullptr, sizeof(std::atomic<pid_t>), PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS, -1, 0));
  ASSERT_NE(static_cast<void*>(copy), MAP_FAILED);
  const pid_t server = start_companion([&] {
    const SystemClock clock;
    const Trial trial(k_small, clock, [&](const Breath&) -> std::string {
      *copy = ::getpid();
      while (true) ::pause();
    });
    while (true) ::pause();
    return 0;
  });
  while (*copy == 0) std::this_thread::sleep_for(1ms);
  EXPECT_TRUE(runs(*copy));
  ::kill(server, SIGKILL);
  ::waitpid(server, nullptr, 0);
  for (int times = 0; times < 5000 && runs(*copy); ++times) std::this_thread::sleep_for(1ms);
  EXPECT_FALSE(runs(*copy));
  ::munmap(copy, sizeof *copy);
}

}  // namespace
}  // namespace hearth
