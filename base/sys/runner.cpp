// RealRunner: the conversation with a running child, over its pipes.
#include <fcntl.h>
#include <poll.h>
#include <sys/syscall.h>
#include <unistd.h>

#include <algorithm>
#include <array>

#include "base/error.hpp"
#include "base/sys/broken_pipe.hpp"
#include "base/sys/process.hpp"
#include "base/text.hpp"

namespace hearth {

namespace {

constexpr int k_tick_ms = 200;  ///< Command::on_tick promises five calls a second

constexpr std::size_t k_longest_line = std::size_t{64} << 10U;  ///< Command::on_line promises it

/// Cuts a byte stream into lines for Command::on_line.
class LineCutter {
 public:
  LineCutter(const Command& command, Stream stream) : command_(command), stream_(stream) {}
  void feed(std::string_view bytes) {
    while (!bytes.empty()) {
      const std::size_t end = bytes.find('\n');
      const std::size_t size = std::min(std::min(end, bytes.size()), k_longest_line - rest_.size());
      const bool whole = size == end;
      const bool full = !whole && size < bytes.size();
      const std::string_view part = bytes.substr(0, size);
      bytes.remove_prefix(whole ? size + 1 : size);
      if (!rest_.empty() || (!whole && !full)) rest_.append(part);
      if (whole || full) tell(rest_.empty() ? part : rest_);
    }
  }
  void finish() {
    if (!rest_.empty()) tell(rest_);
  }

 private:
  void tell(std::string_view line) {
    command_.on_line(stream_, line);
    rest_.clear();
  }

  const Command& command_;
  Stream stream_;
  std::string rest_;
};

/// One captured stream of a running command.
struct Capture {
  Capture(const Command& command, Stream stream, std::string& text)
      : lines(command, stream),
        by_line(command.on_line != nullptr),
        collects(!by_line || command.collect_lines),
        keep_last(command.keep_last),
        collected(text) {}
  Fd fd;
  LineCutter lines;
  bool by_line;
  bool collects;
  std::optional<std::size_t> keep_last;
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
    if (by_line) lines.feed(bytes);
    if (collects) collect(bytes);
  }

  void collect(std::string_view bytes) {
    collected.append(bytes);
    if (keep_last && collected.size() > *keep_last + *keep_last / 4) collected.erase(0, collected.size() - *keep_last);
  }
};

/// Writes as much input as the pipe takes now; closes it when all is written or the reader has gone.
void push_input(Fd& fd, std::string_view& input) {
  const NoBrokenPipeSignal guard;
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
      : command_(command),
        clock_(clock),
        child_(child),
        input_fd_(std::move(input)),
        out_(out),
        err_(err),
        child_fd_(static_cast<int>(::syscall(SYS_pidfd_open, child.pid(), 0))) {
    if (command.input) input_ = *command.input;
    if (input_fd_) ::fcntl(input_fd_.get(), F_SETFL, O_NONBLOCK);
    if (input_.empty()) input_fd_ = Fd();
  }

  /// Daemons that inherited the pipe don't hold us: when the child itself has ended, what is in the pipes is drained.
  ExitStatus run() {
    while (true) {
      if (!out_.fd && !err_.fd && !input_fd_ && !command_.on_tick) break;
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

CommandResult RealRunner::run(const Command& command) {
  CommandResult result;
  SpawnOptions spawn{.argv = command.argv,
                     .env = command.env,
                     .cwd = command.cwd,
                     .root = command.root,
                     .own_group = command.own_group,
                     .outlives_us = command.outlives_us,
                     .confined = command.confined};
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

std::string describe_failure(const Command& command, const CommandResult& result) {
  std::string message = cat(shell_join(command.argv), ": ", describe(result.status));
  const std::string& detail = result.err.empty() ? result.out : result.err;
  if (!detail.empty()) message += cat("\n  ", last_lines(detail, 10));
  return message;
}

std::string run_checked(CommandRunner& runner, const Command& command) {
  CommandResult result = runner.run(command);
  if (succeeded(result.status)) return std::move(result.out);
  throw Error(ErrorKind::external, describe_failure(command, result), shell_code(result.status));
}

}  // namespace hearth
