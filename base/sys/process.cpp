#include "base/sys/process.hpp"

#include <fcntl.h>
#include <poll.h>
#include <sys/prctl.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <csignal>
#include <cstring>

#include "base/error.hpp"
#include "base/text.hpp"

extern "C" char** environ;

namespace hearth {

namespace {

constexpr int k_tick_ms = 200;  ///< Command::on_tick promises five calls a second

/// Which step of starting the child failed, as sent over the error pipe.
enum class StartStep : int { chroot, chdir, exec };

struct StartFailure {
  StartStep step = StartStep::exec;
  int error_number = 0;
};

/// Everything the child needs between fork and exec, made before: there it may neither allocate nor throw.
struct ChildPlan {
  std::vector<char*> argv;
  std::vector<std::string> env_text;
  std::vector<char*> envp;
  std::string program;
  const char* root = nullptr;
  const char* cwd = nullptr;
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

/// Runs in the child: plain data only.
[[noreturn]] void become(const SpawnOptions& options, const ChildPlan& plan, int report) {
  if (options.own_group) ::setpgid(0, 0);
  ::prctl(PR_SET_PDEATHSIG, SIGKILL);
  const int input = options.in >= 0 ? options.in : ::open("/dev/null", O_RDONLY);
  place(input, 0);
  if (options.out >= 0) place(options.out, 1);
  if (options.err >= 0) place(options.err, 2);
  sigset_t none;
  ::sigemptyset(&none);
  ::sigprocmask(SIG_SETMASK, &none, nullptr);
  for (const int number : {SIGPIPE, SIGHUP, SIGINT, SIGTERM, SIGQUIT, SIGCHLD}) ::signal(number, SIG_DFL);
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
    case StartStep::chroot: return {ErrorKind::external, cat("changing the root to ", options.root.string(), ": ", reason)};
    case StartStep::chdir: return {ErrorKind::external, cat("changing the directory to ", options.cwd.string(), ": ", reason)};
    case StartStep::exec: break;
  }
  return {ErrorKind::external, cat("starting ", options.argv.front(), ": ", reason), 127};
}

ExitStatus status_of(int raw) {
  if (WIFEXITED(raw)) return Exited{WEXITSTATUS(raw)};
  return Signaled{WTERMSIG(raw)};
}

/// Cuts a byte stream into lines for Command::on_line.
class LineCutter {
 public:
  LineCutter(const Command& command, Stream stream) : command_(command), stream_(stream) {}
  void feed(std::string_view bytes) {
    rest_.append(bytes);
    std::size_t begin = 0;
    for (std::size_t end = rest_.find('\n'); end != std::string::npos; end = rest_.find('\n', begin)) {
      command_.on_line(stream_, std::string_view(rest_).substr(begin, end - begin));
      begin = end + 1;
    }
    rest_.erase(0, begin);
  }
  void finish() {
    if (!rest_.empty()) command_.on_line(stream_, rest_);
    rest_.clear();
  }

 private:
  const Command& command_;
  Stream stream_;
  std::string rest_;
};

/// One captured stream of a running command.
struct Capture {
  Capture(const Command& command, Stream stream, std::string& text)
      : lines(command, stream), by_line(command.on_line != nullptr), collected(text) {}
  Fd fd;
  LineCutter lines;
  bool by_line;
  std::string& collected;

  /// Reads what is there; closes at the end of the stream.
  void pump() {
    std::array<char, 65536> buffer;  // NOLINT(cppcoreguidelines-pro-type-member-init): filled by read
    const ssize_t got = ::read(fd.get(), buffer.data(), buffer.size());
    if (got < 0 && (errno == EINTR || errno == EAGAIN)) return;
    if (got <= 0) {
      if (by_line) lines.finish();
      fd = Fd();
      return;
    }
    const std::string_view bytes(buffer.data(), static_cast<std::size_t>(got));
    if (by_line) {
      lines.feed(bytes);
    } else {
      collected.append(bytes);
    }
  }
};

/// Writes as much input as the pipe takes now; closes it when all is written or the reader has gone.
void push_input(Fd& fd, std::string_view& input) {
  const ssize_t written = ::write(fd.get(), input.data(), input.size());
  if (written < 0 && (errno == EINTR || errno == EAGAIN)) return;
  if (written < 0) {
    fd = Fd();
    return;
  }
  input.remove_prefix(static_cast<std::size_t>(written));
  if (input.empty()) fd = Fd();
}

/// Moves bytes between the child and the captures until the streams close, the child ends, or the deadline passes.
class Conversation {
 public:
  Conversation(const Command& command, const Clock& clock, Child& child, Fd input, Capture& out, Capture& err)
      : command_(command), clock_(clock), child_(child), input_fd_(std::move(input)), out_(out), err_(err),
        child_fd_(static_cast<int>(::syscall(SYS_pidfd_open, child.pid(), 0))) {
    if (command.input) input_ = *command.input;
    if (input_fd_) ::fcntl(input_fd_.get(), F_SETFL, O_NONBLOCK);
    if (input_.empty()) input_fd_ = Fd();
  }

  /// Daemons that inherited the pipe don't hold us: when the child itself has ended, what is in the pipes is drained.
  ExitStatus run() {
    while (true) {
      if (!out_.fd && !err_.fd && !input_fd_) break;
      if (!wait_for_events()) return timed_out();
      if (child_ended_) {
        drain();
        break;
      }
    }
    std::optional<ExitStatus> status = child_.wait(command_.deadline, clock_);
    return status ? *status : timed_out();
  }

 private:
  bool wait_for_events() {
    std::array<pollfd, 4> polls = {pollfd{out_.fd.get(), POLLIN, 0}, pollfd{err_.fd.get(), POLLIN, 0},
                                   pollfd{input_fd_.get(), POLLOUT, 0}, pollfd{child_fd_.get(), POLLIN, 0}};
    const int ready = ::poll(polls.data(), polls.size(), poll_timeout());
    if (ready < 0 && errno != EINTR) throw Error::from_errno("waiting for", command_.argv.front());
    if (command_.on_tick) command_.on_tick();
    if (ready == 0) return !command_.deadline.passed(clock_.now());
    if (ready < 0) return true;
    if (polls[0].revents != 0) out_.pump();
    if (polls[1].revents != 0) err_.pump();
    if (polls[2].revents != 0) push_input(input_fd_, input_);
    child_ended_ = polls[3].revents != 0;
    return true;
  }

  [[nodiscard]] int poll_timeout() const {
    const int left = command_.deadline.poll_timeout(clock_.now());
    if (!command_.on_tick) return left;
    return left < 0 ? k_tick_ms : std::min(left, k_tick_ms);
  }

  void drain() {
    for (Capture* capture : {&out_, &err_}) {
      if (!capture->fd) continue;
      ::fcntl(capture->fd.get(), F_SETFL, O_NONBLOCK);
      pollfd one{capture->fd.get(), POLLIN, 0};
      while (capture->fd && ::poll(&one, 1, 0) > 0) capture->pump();
      if (capture->fd && capture->by_line) capture->lines.finish();
    }
  }

  ExitStatus timed_out() {
    child_.kill_and_wait();
    return TimedOut{};
  }

  const Command& command_;
  const Clock& clock_;
  Child& child_;
  Fd input_fd_;
  std::string_view input_;
  Capture& out_;
  Capture& err_;
  Fd child_fd_;
  bool child_ended_ = false;
};

std::string last_lines(const std::string& text, std::size_t count) {
  std::vector<std::string> lines = split_lines(text);
  if (lines.size() > count) lines.erase(lines.begin(), lines.end() - static_cast<std::ptrdiff_t>(count));
  return join(lines, "\n  ");
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

Child Child::spawn(const SpawnOptions& options) {
  const ChildPlan plan = plan_child(options);
  Pipe report = Pipe::create();
  const pid_t pid = ::fork();
  if (pid < 0) throw Error::from_errno("forking for", options.argv.front());
  if (pid == 0) become(options, plan, report.write.get());
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

CommandResult RealRunner::run(const Command& command) {
  CommandResult result;
  SpawnOptions spawn{.argv = command.argv, .env = command.env, .cwd = command.cwd, .root = command.root,
                     .own_group = command.own_group};
  Pipe input;
  Pipe out;
  Pipe err;
  Fd null;
  if (command.out == Output::discard || command.err == Output::discard) null = Fd::open("/dev/null", O_WRONLY);
  if (command.inherit_input) spawn.in = 0;
  if (command.input) {
    input = Pipe::create();
    spawn.in = input.read.get();
  }
  if (command.out == Output::capture) {
    out = Pipe::create();
    spawn.out = out.write.get();
  } else if (command.out == Output::discard) {
    spawn.out = null.get();
  }
  if (command.merge_err) {
    spawn.err = spawn.out;
  } else if (command.err == Output::capture) {
    err = Pipe::create();
    spawn.err = err.write.get();
  } else if (command.err == Output::discard) {
    spawn.err = null.get();
  }
  Child child = Child::spawn(spawn);
  for (Fd* end : {&input.read, &out.write, &err.write}) *end = Fd();  // the child has its own copies
  Capture out_capture(command, Stream::out, result.out);
  Capture err_capture(command, Stream::err, result.err);
  out_capture.fd = std::move(out.read);
  err_capture.fd = std::move(err.read);
  result.status = Conversation(command, clock_, child, std::move(input.write), out_capture, err_capture).run();
  return result;
}

std::string run_checked(CommandRunner& runner, const Command& command) {
  CommandResult result = runner.run(command);
  if (succeeded(result.status)) return std::move(result.out);
  std::string message = cat(shell_join(command.argv), ": ", describe(result.status));
  const std::string& detail = result.err.empty() ? result.out : result.err;
  if (!detail.empty()) message += cat("\n  ", last_lines(detail, 10));
  throw Error(ErrorKind::external, std::move(message), shell_code(result.status));
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
