#include "bootstrap/why/page_sources.hpp"

#include <fcntl.h>
#include <poll.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <cerrno>
#include <csignal>

#include "base/clock.hpp"
#include "base/error.hpp"
#include "base/sys/file.hpp"
#include "base/sys/local_socket.hpp"
#include "base/sys/lock.hpp"
#include "base/sys/process.hpp"
#include "base/text.hpp"

namespace hearth::bootstrap::why {

namespace {

constexpr std::chrono::seconds k_patience{5};
constexpr std::chrono::seconds k_least{1};  // of that, for a second question
constexpr std::chrono::seconds k_disk_patience{3};

double seconds_since(const Clock& clock, MonotonicTime begun) {
  return std::chrono::duration<double>(clock.now() - begun).count();
}

/// Of the process that listens there; nothing where it is not of this computer, or not to be seen.
std::optional<ProcessFacts> process_at(const fs::path& socket) {
  std::optional<Fd> connected;
  try {
    connected = connect_locally(socket, false);
  } catch (const Error&) {  // it takes nobody in any more
    return std::nullopt;
  }
  const std::optional<pid_t> pid = connected ? process_behind(connected->get()) : std::nullopt;
  if (!pid || *pid <= 0) return std::nullopt;
  const RealFileSystem files;
  const std::string stat = files.read(cat("/proc/", *pid, "/stat")).value_or("");
  const std::size_t name_end = stat.rfind(')');
  if (name_end == std::string::npos || name_end + 2 >= stat.size()) return std::nullopt;
  ProcessFacts facts{static_cast<int>(*pid), stat[name_end + 2], {}};
  try {
    facts.waits = std::string(trim(files.read(cat("/proc/", *pid, "/wchan")).value_or("")));
  } catch (const Error&) {  // it takes root, or the process itself
    facts.waits.clear();
  }
  if (facts.waits == "0") facts.waits.clear();
  return facts;
}

/// A file without a name: nothing is left behind. What went wrong with the disk; nothing where this user may not write
/// there.
std::string keep_a_page(const fs::path& directory) {
  try {
    const Fd file = Fd::open(directory.string(), O_TMPFILE | O_WRONLY, 0600);
    write_all(file, std::string(4096, '\0'), "a page");
    if (::fsync(file.get()) != 0) throw Error::from_errno("keeping", "a page");
    return "kept";
  } catch (const Error& error) {
    constexpr std::array k_of_disks = {ENOSPC, EDQUOT, EROFS, EIO};
    const bool known = std::find(k_of_disks.begin(), k_of_disks.end(), error.system_error()) != k_of_disks.end();
    return known ? error.what() : "";
  }
}

/// How long the disk takes. A process of its own asks it: one that waits for a disk that hangs can't be ended, only
/// left. It keeps the turn, so that there is one such process however often this is asked.
void look_at_disk(const fs::path& directory, const Clock& clock, PageFacts& facts) {
  const MonotonicTime begun = clock.now();
  std::optional<FileLock> turn;
  try {
    turn = FileLock::try_acquire(directory, k_disk_patience);
  } catch (const Error&) {  // not this user's
    return;
  }
  if (!turn) {
    facts.flush = seconds_since(clock, begun);
    facts.flush_hangs = true;
    return;
  }
  Pipe answer = Pipe::create();
  const MonotonicTime asked = clock.now();
  const pid_t asker = start_companion([&] {
    for (const int inherited : {STDIN_FILENO, STDOUT_FILENO, STDERR_FILENO})
      ::close(inherited);  // others wait for them
    const std::string text = keep_a_page(directory);
    write_all(answer.write, text, "the answer");
    return 0;
  });
  answer.write = Fd();
  pollfd wait{answer.read.get(), POLLIN, 0};
  if (::poll(&wait, 1, Deadline::after(k_disk_patience, clock).poll_timeout(clock.now())) == 0) {
    facts.flush = seconds_since(clock, asked);
    facts.flush_hangs = true;
    ::kill(asker, SIGKILL);
    return;
  }
  const std::string text = read_all(answer.read, "the answer");
  ::waitpid(asker, nullptr, 0);
  if (text == "kept") facts.flush = seconds_since(clock, asked);
  if (text != "kept") facts.flush_fault = text;
}

}  // namespace

PageFacts page_facts(ConductorClient& conductor, const cli::Arguments& arguments) {
  const SystemClock clock;
  const fs::path state = state_directory(arguments);
  PageFacts facts;
  const std::string url = conductor_url(arguments);
  facts.is_here = url.empty();
  facts.where = facts.is_here ? (state / k_api_socket).string() : url;
  facts.patience = std::chrono::duration<double>(k_patience).count();
  conductor.set_patience(k_patience);
  const MonotonicTime begun = clock.now();
  try {
    static_cast<void>(conductor.call("GET", "/v1"));
    facts.answered = seconds_since(clock, begun);
    conductor.set_patience(
        std::max(k_patience - std::chrono::duration_cast<std::chrono::seconds>(clock.now() - begun), k_least));
    facts.pace = conductor.call("GET", "/v1/hearth/pace");
  } catch (const Error& error) {
    const double took = seconds_since(clock, begun);
    const bool is_full = error.system_error() == EAGAIN;  // of those who wait until it takes them in
    facts.hangs = error.kind() == ErrorKind::io && (is_full || took > 0.9 * facts.patience);
    // An older Hearth has no pace, another's server has other words: they answer all the same.
    if (error.kind() != ErrorKind::io) facts.answered = facts.answered.value_or(took);
    if (error.kind() == ErrorKind::io) facts.answered.reset();
    facts.fault = error.what();
  }
  if (facts.is_here && !facts.answered) facts.process = process_at(state / k_api_socket);
  if (facts.is_here) look_at_disk(state, clock, facts);  // who waits for it to keep a change is not answered
  return facts;
}

}  // namespace hearth::bootstrap::why
