#include "base/sys/process_copy.hpp"

#include <fcntl.h>
#include <sys/prctl.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

#include <csignal>
#include <cstdio>
#include <initializer_list>

#include "base/error.hpp"

namespace hearth {

namespace {

int run_copy(pid_t starter, const sigset_t& mask, const std::function<int()>& body, const Fd& out, const Fd& err) {
  ::setpgid(0, 0);
  ::prctl(PR_SET_PDEATHSIG, SIGKILL);
  if (::getppid() != starter) return 1;
  for (const int number : {SIGINT, SIGTERM, SIGHUP}) ::signal(number, SIG_DFL);
  ::sigprocmask(SIG_SETMASK, &mask, nullptr);
  const Fd nothing = Fd::open("/dev/null", O_RDONLY);
  ::dup2(nothing.get(), STDIN_FILENO);
  ::dup2(out.get(), STDOUT_FILENO);
  ::dup2(err.get(), STDERR_FILENO);
  const int code = body();
  std::fflush(nullptr);
  return code;
}

}  // namespace

ProcessCopy ProcessCopy::start(const std::function<int()>& body, const Fd& out, const Fd& err) {
  std::fflush(nullptr);  // or the copy would write what waits there once more
  const pid_t starter = ::getpid();
  sigset_t all;
  sigset_t mask;
  ::sigfillset(&all);
  ::sigprocmask(SIG_SETMASK, &all, &mask);  // one that comes before the copy has its own way with signals waits
  pid_t pid = -1;
  try {
    pid = start_companion([&] { return run_copy(starter, mask, body, out, err); });
  } catch (const Error&) {
    ::sigprocmask(SIG_SETMASK, &mask, nullptr);
    throw;
  }
  ::sigprocmask(SIG_SETMASK, &mask, nullptr);
  ::setpgid(pid, pid);  // both do it: whoever comes first
  ProcessCopy copy(pid, Fd(static_cast<int>(::syscall(SYS_pidfd_open, pid, 0))));
  if (!copy.end_) throw Error::from_errno("watching", "a process");  // which ends it
  return copy;
}

ProcessCopy::~ProcessCopy() {
  if (pid_ <= 0) return;
  signal(SIGKILL);
  while (::waitpid(pid_, nullptr, 0) < 0 && errno == EINTR) {
  }
}

std::optional<ExitStatus> ProcessCopy::ended() {
  int raw = 0;
  if (pid_ <= 0 || ::waitpid(pid_, &raw, WNOHANG) != pid_) return std::nullopt;
  pid_ = -1;
  return WIFSIGNALED(raw) ? ExitStatus(Signaled{WTERMSIG(raw)}) : ExitStatus(Exited{WEXITSTATUS(raw)});
}

void ProcessCopy::signal(int number) const {
  if (pid_ > 0) ::kill(-pid_, number);
}

}  // namespace hearth
