#include "base/sys/process.hpp"

#include <fcntl.h>
#include <linux/capability.h>
#include <linux/close_range.h>
#include <linux/sched.h>
#include <poll.h>
#include <sched.h>
#include <sys/mount.h>
#include <sys/prctl.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

#include <array>
#include <csignal>
#include <cstring>

#include "base/error.hpp"
#include "base/text.hpp"

extern "C" char** environ;

namespace hearth {

namespace {

constexpr int k_extra_descriptor = 3;

/// Which step of starting the child failed, as sent over the error pipe.
enum class StartStep : int { confine, chroot, chdir, exec };

struct StartFailure {
  StartStep step = StartStep::exec;
  int error_number = 0;
};

/// Everything the child needs between fork and exec, made before: there it may neither allocate nor throw, nor change
/// what is ours: until it is another program, it has our memory.
struct ChildPlan {
  std::vector<char*> argv;
  std::vector<std::string> env_text;
  std::vector<char*> envp;
  std::string program;
  const char* root = nullptr;
  const char* cwd = nullptr;
  std::string proc;          ///< of a confined child: where its own is mounted
  std::string command_line;  ///< and the file there that it shall not see
};

std::string search_program(const SpawnOptions& options) {
  const std::string& name = options.argv.front();
  if (name.find('/') != std::string::npos || !options.root.empty()) return name;
  const Environment env = options.env ? *options.env : current_environment();
  const std::optional<fs::path> found = find_program(name, env);
  return found ? found->string() : name;
}

ChildPlan plan_child(const SpawnOptions& options) {
  ChildPlan plan;
  for (const std::string& arg : options.argv) plan.argv.push_back(const_cast<char*>(arg.c_str()));
  plan.argv.push_back(nullptr);
  if (options.env) {
    for (const auto& [name, value] : *options.env) plan.env_text.push_back(cat(name, "=", value));
    for (std::string& entry : plan.env_text) plan.envp.push_back(entry.data());
    plan.envp.push_back(nullptr);
  }
  plan.program = search_program(options);
  if (!options.root.empty()) plan.root = options.root.c_str();
  if (!options.cwd.empty()) plan.cwd = options.cwd.c_str();
  plan.proc = (options.root / "proc").string();
  plan.command_line = cat(plan.proc, "/cmdline");
  return plan;
}

[[noreturn]] void fail_start(int report, StartStep step) {
  const StartFailure failure{step, errno};
  [[maybe_unused]] const ssize_t written = ::write(report, &failure, sizeof failure);
  ::_exit(127);
}

void place(int from, int to) {
  if (from == to) {
    ::fcntl(to, F_SETFD, 0);
  } else {
    ::dup2(from, to);
  }
}

/// fork(2) into namespaces of its own.
pid_t fork_confined() {
  clone_args args{};
  args.flags = CLONE_NEWNS | CLONE_NEWPID | CLONE_NEWNET | CLONE_NEWIPC;
  args.exit_signal = SIGCHLD;
  return static_cast<pid_t>(::syscall(SYS_clone3, &args, sizeof args));
}

/// In the child. What is dropped from the bounding set, the program that is started can't have, though it is root's.
bool confine(const ChildPlan& plan) {
  constexpr unsigned long hidden = MS_NOSUID | MS_NODEV | MS_NOEXEC;
  if (::mount(nullptr, "/", nullptr, MS_REC | MS_PRIVATE, nullptr) != 0) return false;
  if (::mount("proc", plan.proc.c_str(), "proc", hidden, nullptr) != 0) return false;
  if (::mount("/dev/null", plan.command_line.c_str(), nullptr, MS_BIND, nullptr) != 0) return false;
  for (const int capability : {CAP_SYS_MODULE, CAP_SYS_BOOT, CAP_SYS_PTRACE, CAP_SYS_RAWIO, CAP_SYSLOG, CAP_BPF,
                               CAP_PERFMON, CAP_NET_ADMIN, CAP_NET_RAW}) {
    if (::prctl(PR_CAPBSET_DROP, capability, 0, 0, 0) != 0 && errno != EINVAL) return false;  // one that is not known
  }
  return true;
}

/// In the child, while all signals are blocked for which we have handlers: none of them runs there, with our memory.
void take_default_signals() {
  struct sigaction each {};
  for (int number = 1; number < NSIG; ++number) {
    if (::sigaction(number, nullptr, &each) == 0 && each.sa_handler != SIG_DFL && each.sa_handler != SIG_IGN) {
      ::signal(number, SIG_DFL);
    }
  }
  for (const int number : {SIGPIPE, SIGHUP, SIGINT, SIGTERM, SIGQUIT, SIGCHLD}) ::signal(number, SIG_DFL);
  sigset_t none;
  ::sigemptyset(&none);
  ::sigprocmask(SIG_SETMASK, &none, nullptr);
}

/// Runs in the child: plain data only.
[[noreturn]] void become(const SpawnOptions& options, const ChildPlan& plan, int report) {
  if (options.own_group) ::setpgid(0, 0);
  if (!options.outlives_us) ::prctl(PR_SET_PDEATHSIG, SIGKILL);
  const int input = options.in >= 0 ? options.in : ::open("/dev/null", O_RDONLY | O_CLOEXEC);
  place(input, 0);
  if (options.out >= 0) place(options.out, 1);
  if (options.err >= 0) place(options.err, 2);
  const int kept = options.extra >= 0 ? k_extra_descriptor : k_extra_descriptor - 1;
  if (options.extra >= 0) {
    if (report == k_extra_descriptor) report = ::fcntl(report, F_DUPFD_CLOEXEC, k_extra_descriptor + 1);
    place(options.extra, k_extra_descriptor);
  }
  // What others left open without O_CLOEXEC is not for the child.
  ::close_range(static_cast<unsigned>(kept) + 1, ~0U, CLOSE_RANGE_CLOEXEC);
  take_default_signals();
  if (options.confined && !confine(plan)) fail_start(report, StartStep::confine);
  if (plan.root != nullptr && (::chroot(plan.root) != 0 || ::chdir("/") != 0)) fail_start(report, StartStep::chroot);
  if (plan.cwd != nullptr && ::chdir(plan.cwd) != 0) fail_start(report, StartStep::chdir);
  char** envp = plan.envp.empty() ? environ : const_cast<char**>(plan.envp.data());
  if (plan.root != nullptr) {
    ::execvpe(plan.program.c_str(), plan.argv.data(), envp);  // PATH of the caller, inside the new root
  } else {
    ::execve(plan.program.c_str(), plan.argv.data(), envp);
  }
  fail_start(report, StartStep::exec);
}

Error start_error(const SpawnOptions& options, const StartFailure& failure) {
  const std::string reason = std::strerror(failure.error_number);
  switch (failure.step) {
    case StartStep::confine: return {ErrorKind::external, cat("confining ", options.argv.front(), ": ", reason)};
    case StartStep::chroot:
      return {ErrorKind::external, cat("changing the root to ", options.root.string(), ": ", reason)};
    case StartStep::chdir:
      return {ErrorKind::external, cat("changing the directory to ", options.cwd.string(), ": ", reason)};
    case StartStep::exec: break;
  }
  return {ErrorKind::external, cat("starting ", options.argv.front(), ": ", reason), 127};
}

ExitStatus status_of(int raw) {
  if (WIFEXITED(raw)) return Exited{WEXITSTATUS(raw)};
  return Signaled{WTERMSIG(raw)};
}

}  // namespace

Environment current_environment() {
  Environment env;
  for (char** entry = environ; *entry != nullptr; ++entry) {
    const std::string_view text = *entry;
    const std::size_t equals = text.find('=');
    if (equals != std::string_view::npos) env.emplace(text.substr(0, equals), text.substr(equals + 1));
  }
  return env;
}

std::optional<std::int64_t> source_date_epoch(const Environment& environment) {
  const auto found = environment.find("SOURCE_DATE_EPOCH");
  const auto seconds = found == environment.end() ? std::nullopt : parse_number(found->second);
  return seconds ? std::optional(static_cast<std::int64_t>(*seconds)) : std::nullopt;
}

std::int64_t creation_time(const Environment& environment) {
  return source_date_epoch(environment).value_or(std::time(nullptr));
}

std::string describe(const ExitStatus& status) {
  if (const auto* exited = std::get_if<Exited>(&status)) return cat("exit code ", exited->code);
  if (const auto* signaled = std::get_if<Signaled>(&status)) {
    const char* name = ::sigabbrev_np(signaled->signal);
    return name != nullptr ? cat("killed by SIG", name) : cat("killed by signal ", signaled->signal);
  }
  return "stopped at its deadline";
}

int shell_code(const ExitStatus& status) {
  if (const auto* exited = std::get_if<Exited>(&status)) return exited->code;
  if (const auto* signaled = std::get_if<Signaled>(&status)) return 128 + signaled->signal;
  return 124;
}

Environment parse_environment(std::string_view text) {
  Environment env;
  for (const std::string& entry : split(text, '\0')) {
    const std::size_t equals = entry.find('=');
    if (equals != std::string::npos) env[entry.substr(0, equals)] = entry.substr(equals + 1);
  }
  return env;
}

pid_t start_companion(const std::function<int()>& body) {
  const pid_t pid = ::fork();
  if (pid < 0) throw Error::from_errno("forking", "a process");
  if (pid > 0) return pid;
  int code = 1;
  try {
    code = body();
  } catch (...) {  // nobody is there to be told
  }
  ::_exit(code);
}

Child Child::spawn(const SpawnOptions& options) {
  const ChildPlan plan = plan_child(options);
  Pipe report = Pipe::create();
  sigset_t all;
  sigset_t ours;
  ::sigfillset(&all);
  // A child that has ended before we look on would else leave one that is not ignored: it ends another thread's wait.
  ::sigdelset(&all, SIGCHLD);
  ::pthread_sigmask(SIG_SETMASK, &all, &ours);
  // A copy of our page tables for the few calls up to exec cost more than all of these.
  const pid_t pid =
      options.confined ? fork_confined() : ::vfork();  // NOLINT(clang-analyzer-security.insecureAPI.vfork)
  if (pid == 0) become(options, plan, report.write.get());
  const int forking = errno;
  ::pthread_sigmask(SIG_SETMASK, &ours, nullptr);
  if (pid < 0) throw Error::from_errno("forking for", options.argv.front(), forking);
  if (options.own_group) ::setpgid(pid, pid);
  report.write = Fd();
  StartFailure failure;
  ssize_t got = -1;
  do {
    got = ::read(report.read.get(), &failure, sizeof failure);
  } while (got < 0 && errno == EINTR);
  if (got == static_cast<ssize_t>(sizeof failure)) {
    ::waitpid(pid, nullptr, 0);
    throw start_error(options, failure);
  }
  return {pid, options.own_group};
}

Child::~Child() {
  if (pid_ > 0) kill_and_wait();
}

std::optional<ExitStatus> Child::wait(const Deadline& deadline, const Clock& clock) {
  const Fd watch(static_cast<int>(::syscall(SYS_pidfd_open, pid_, 0)));
  while (true) {
    int raw = 0;
    const pid_t ended = ::waitpid(pid_, &raw, deadline.is_never() ? 0 : WNOHANG);
    if (ended == pid_) {
      pid_ = -1;
      return status_of(raw);
    }
    if (ended < 0 && errno != EINTR) throw Error::from_errno("waiting for", "a child process");
    if (deadline.passed(clock.now())) return std::nullopt;
    if (deadline.is_never()) continue;
    pollfd one{watch.get(), POLLIN, 0};
    ::poll(&one, 1, deadline.poll_timeout(clock.now()));
  }
}

void Child::signal(int number) const {
  if (pid_ > 0) ::kill(own_group_ ? -pid_ : pid_, number);
}

ExitStatus Child::kill_and_wait() {
  signal(SIGKILL);
  ::kill(pid_, SIGKILL);
  int raw = 0;
  while (::waitpid(pid_, &raw, 0) < 0 && errno == EINTR) {
  }
  pid_ = -1;
  return status_of(raw);
}

std::optional<fs::path> find_program(const std::string& name, const Environment& env) {
  const auto path = env.find("PATH");
  const std::string directories = path != env.end() ? path->second : "/usr/local/bin:/usr/bin:/bin";
  for (const std::string& directory : split(directories, ':')) {
    if (directory.empty()) continue;
    const fs::path candidate = fs::path(directory) / name;
    if (::access(candidate.c_str(), X_OK) == 0 && fs::is_regular_file(candidate)) return candidate;
  }
  return std::nullopt;
}

}  // namespace hearth
