#include "base/sys/trial.hpp"

#include <fcntl.h>
#include <sys/prctl.h>
#include <sys/resource.h>
#include <sys/syscall.h>
#include <sys/time.h>
#include <sys/wait.h>
#include <unistd.h>

#include <array>
#include <cerrno>
#include <csignal>
#include <cstring>
#include <fstream>
#include <new>

#include "base/error.hpp"
#include "base/text.hpp"

namespace hearth {

namespace {

// First byte of what the copy sends; nothing at all where it was ended.
constexpr char k_answered = 'a';
constexpr char k_failed = 'f';
constexpr char k_memory = 'm';

constexpr std::size_t k_pipe_bytes = std::size_t{1} << 20U;
constexpr auto k_between_looks = std::chrono::milliseconds(20);  // at the clock, by breaths
constexpr int k_copys_pipe = 3;

timeval timeval_of(Duration time) {
  const auto micros = std::chrono::duration_cast<std::chrono::microseconds>(time).count();
  return {static_cast<time_t>(micros / 1'000'000), static_cast<suseconds_t>(micros % 1'000'000)};
}

Duration time_of(const timeval& time) {
  return std::chrono::seconds(time.tv_sec) + std::chrono::microseconds(time.tv_usec);
}

void limit(int resource, rlim_t most, rlim_t hard) {
  rlimit now{};
  if (::getrlimit(static_cast<__rlimit_resource>(resource), &now) != 0) return;
  const rlimit wanted{std::min(most, now.rlim_max), std::min(hard, now.rlim_max)};
  ::setrlimit(static_cast<__rlimit_resource>(resource), &wanted);
}

std::uint64_t present_bytes() {
  std::ifstream statm("/proc/self/statm");
  std::uint64_t pages = 0;
  statm >> pages;
  return pages * static_cast<std::uint64_t>(::sysconf(_SC_PAGESIZE));
}

void send(const char* bytes, std::size_t size) {
  while (size > 0) {
    const ssize_t written = ::write(k_copys_pipe, bytes, size);
    if (written < 0 && errno != EINTR) ::_exit(1);
    if (written <= 0) continue;
    bytes += written;
    size -= static_cast<std::size_t>(written);
  }
}

[[noreturn]] void send_and_exit(char kind, std::string_view text) {
  send(&kind, 1);
  send(text.data(), text.size());
  ::_exit(0);  // no destructor: files, sockets and databases are the original's
}

[[noreturn]] void out_of_memory() { send_and_exit(k_memory, ""); }

/// What is ours alone: no signal handler, no descriptor but the pipe, an end with the original's.
void settle(pid_t parent, int pipe) {
  ::prctl(PR_SET_PDEATHSIG, SIGKILL);
  if (::getppid() != parent) ::_exit(1);
  // Where the machine has no memory left, this is what ends. What can't be dumped, as many an original, can't say so.
  limit(RLIMIT_CORE, 0, 0);
  ::prctl(PR_SET_DUMPABLE, 1);
  std::ofstream("/proc/self/oom_score_adj") << "1000";
  ::prctl(PR_SET_DUMPABLE, 0);
  for (const int number : {SIGTERM, SIGINT, SIGPROF, SIGXCPU, SIGCHLD}) (void)::signal(number, SIG_DFL);
  // What a whole group of processes is told, the original heeds.
  for (const int number : {SIGHUP, SIGUSR1, SIGUSR2, SIGALRM}) (void)::signal(number, SIG_IGN);
  sigset_t none;
  ::sigemptyset(&none);
  ::sigprocmask(SIG_SETMASK, &none, nullptr);
  if (::dup2(pipe, k_copys_pipe) < 0) ::_exit(1);
  ::syscall(SYS_close_range, k_copys_pipe + 1, ~0U, 0);
  const int nowhere = ::open("/dev/null", O_RDWR | O_CLOEXEC);  // what it logs, the original will
  for (const int number : {0, 1, 2}) ::dup2(nowhere, number);
  ::close(nowhere);
}

void set_limits(const TrialLimits& limits, std::uint64_t memory) {
  const auto seconds = static_cast<rlim_t>(std::chrono::duration_cast<std::chrono::seconds>(limits.processor).count());
  limit(RLIMIT_CPU, std::max<rlim_t>(seconds, 1), std::max<rlim_t>(seconds, 1) + 1);
  limit(RLIMIT_AS, memory, memory);
  std::set_new_handler(out_of_memory);
}

/// Ends the copy by SIGPROF when it is not called again in time.
void begin_stretch(Duration stretch) {
  const itimerval timer{{0, 0}, timeval_of(stretch)};
  ::setitimer(ITIMER_PROF, &timer, nullptr);
}

[[noreturn]] void try_work(const TrialLimits& limits, const std::function<std::string(const Trial::Breath&)>& work) {
  auto last = std::chrono::steady_clock::now();
  begin_stretch(limits.stretch);
  const Trial::Breath breathe = [&] {
    const auto now = std::chrono::steady_clock::now();
    if (now - last < k_between_looks) return;
    last = now;
    begin_stretch(limits.stretch);
  };
  try {
    const std::string answer = work(breathe);
    begin_stretch({});
    send_and_exit(k_answered, answer);
  } catch (const Error& error) {
    send_and_exit(k_failed, error.story());
  } catch (const std::exception& error) {
    send_and_exit(k_failed, error.what());
  } catch (...) {
    send_and_exit(k_failed, "");
  }
}

TrialOutcome outcome_of(std::string sent, int status) {
  if (!sent.empty() && sent.front() == k_memory) return {TrialEnd::memory, ""};
  if (WIFSIGNALED(status)) {
    if (WTERMSIG(status) == SIGPROF) return {TrialEnd::stretch, ""};
    if (WTERMSIG(status) == SIGXCPU) return {TrialEnd::processor, ""};
    const char* name = ::sigabbrev_np(WTERMSIG(status));
    return {TrialEnd::died, name != nullptr ? cat("SIG", name) : cat("signal ", WTERMSIG(status))};
  }
  const char kind = sent.empty() ? '\0' : sent.front();
  if (kind != k_answered && kind != k_failed) return {TrialEnd::died, cat("exit code ", WEXITSTATUS(status))};
  sent.erase(0, 1);
  return {kind == k_answered ? TrialEnd::answered : TrialEnd::failed, std::move(sent)};
}

}  // namespace

Trial::Trial(const TrialLimits& limits, const Clock& clock, const std::function<std::string(const Breath&)>& work)
    : clock_(clock), latest_(clock.now() + limits.wall) {
  std::array<int, 2> ends{};
  if (::pipe2(ends.data(), O_CLOEXEC) != 0) throw Error::from_errno("making", "a pipe for a trial");
  pipe_ = Fd(ends[0]);
  Fd write(ends[1]);
  ::fcntl(write.get(), F_SETPIPE_SZ, k_pipe_bytes);
  ::fcntl(pipe_.get(), F_SETFL, O_NONBLOCK);
  const std::uint64_t memory = present_bytes() + limits.memory;
  const pid_t parent = ::getpid();
  pid_ = ::fork();
  if (pid_ < 0) throw Error::from_errno("forking", "a copy for a trial");
  if (pid_ > 0) return;
  settle(parent, write.get());
  set_limits(limits, memory);
  try_work(limits, work);
}

Trial::~Trial() {
  if (pid_ <= 0) return;
  ::kill(pid_, SIGKILL);
  while (::waitpid(pid_, nullptr, 0) < 0 && errno == EINTR) {
  }
}

bool Trial::take() {
  static constexpr std::size_t k_at_once = std::size_t{64} << 10U;
  static constexpr std::size_t k_in_a_call = std::size_t{1} << 20U;  // others have their turn before the rest of it
  for (std::size_t taken = 0; pid_ > 0; taken += k_at_once) {
    if (taken >= k_in_a_call) return false;
    const std::size_t before = read_.size();
    read_.resize(before + k_at_once);
    const ssize_t got = ::read(pipe_.get(), read_.data() + before, k_at_once);
    read_.resize(before + static_cast<std::size_t>(std::max<ssize_t>(got, 0)));
    if (got < 0 && errno == EINTR) continue;
    if (got < 0) return false;
    if (got == 0) reap();
  }
  return true;
}

/// Its pipe is closed: it is ending, if it has not yet.
void Trial::reap() {
  int status = 0;
  rusage usage{};
  while (::wait4(pid_, &status, 0, &usage) < 0 && errno == EINTR) {
  }
  pid_ = -1;
  outcome_ = outcome_of(std::move(read_), status);
  outcome_.processor = time_of(usage.ru_utime) + time_of(usage.ru_stime);
}

/// Whoever waits until we take what he has said is not late.
bool Trial::end_if_late() {
  const std::size_t before = read_.size();
  if (take()) return true;
  if (read_.size() > before || clock_.now() < latest_) return false;
  ::kill(pid_, SIGKILL);
  reap();
  outcome_.end = TrialEnd::wall;
  outcome_.text.clear();
  return true;
}

}  // namespace hearth
