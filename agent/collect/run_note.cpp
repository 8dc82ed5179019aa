#include "agent/collect/run_note.hpp"

#include <fcntl.h>
#include <sys/file.h>
#include <sys/wait.h>
#include <unistd.h>

#include <array>
#include <cerrno>
#include <csignal>
#include <cstdio>
#include <cstring>

#include "base/error.hpp"
#include "base/sys/fd.hpp"
#include "base/sys/file.hpp"
#include "base/sys/process.hpp"
#include "base/text.hpp"

namespace hearth::agent {

namespace {

constexpr std::size_t k_kept = 16U << 10U;

/// Its errors are nobody's: the run matters, not the note.
void keep(const Fd& file, const std::string& tail) {
  if (::pwrite(file.get(), tail.data(), tail.size(), 0) < 0) return;
  [[maybe_unused]] const int cut = ::ftruncate(file.get(), static_cast<off_t>(tail.size()));
}

/// Noted first: whoever knows that the run has ended finds its last line.
int copy(const Fd& from, const Fd& file) {
  ::setsid();  // what stops the run's group must not stop its stderr
  ::signal(SIGPIPE, SIG_IGN);
  std::array<char, 65536> bytes{};
  std::string tail;
  while (true) {
    const ssize_t count = ::read(from.get(), bytes.data(), bytes.size());
    if (count < 0 && errno == EINTR) continue;
    if (count <= 0) return 0;
    tail.append(bytes.data(), static_cast<std::size_t>(count));
    if (tail.size() > k_kept) tail.erase(0, tail.size() - k_kept);
    keep(file, tail);
    for (ssize_t done = 0; done < count;) {
      const ssize_t written =
          ::write(STDERR_FILENO, &bytes.at(static_cast<std::size_t>(done)), static_cast<std::size_t>(count - done));
      if (written < 0 && errno == EINTR) continue;
      if (written <= 0) break;  // nobody reads us any more: those who write go on
      done += written;
    }
  }
}

/// Not our child: the program that we become must not find one that it did not start.
void start_copier(Pipe& pipe, const Fd& file) {
  const pid_t helper = start_companion([&] {
    (void)start_companion([&] {
      pipe.write = Fd();  // or it would wait for itself
      return copy(pipe.read, file);
    });
    return 0;
  });
  while (::waitpid(helper, nullptr, 0) < 0 && errno == EINTR) {
  }
}

void note_stderr(const std::string& path) {
  RealFileSystem().make_directories(fs::path(path).parent_path(), 0755);
  ::unlink(path.c_str());  // an earlier run's copier may live yet, and keeps the file that it has
  const Fd file = Fd::open(path, O_RDWR | O_CREAT | O_EXCL | O_NOFOLLOW, 0600);
  (void)::flock(file.get(), LOCK_EX | LOCK_NB);  // the copier holds it until its end
  Pipe pipe = Pipe::create();
  start_copier(pipe, file);
  if (::dup2(pipe.write.get(), STDERR_FILENO) < 0) throw Error::from_errno("noting stderr in", path);
}

}  // namespace

int note_run_main(const std::vector<std::string>& words) {
  if (words.size() < 2) {
    std::fputs("hearth-agent note-run: give FILE PROGRAM [ARGUMENT…]\n", stderr);
    return 2;
  }
  try {
    note_stderr(words.front());
  } catch (const Error&) {  // a full or read-only disk: the run is what counts
  }
  std::vector<char*> argv;
  for (std::size_t i = 1; i < words.size(); ++i) argv.push_back(const_cast<char*>(words[i].c_str()));
  argv.push_back(nullptr);
  ::execvp(argv.front(), argv.data());
  std::fputs(cat("hearth-agent: starting ", words[1], ": ", std::strerror(errno), "\n").c_str(), stderr);
  return 127;
}

std::vector<std::string> noting_words(const fs::path& file) { return {"/proc/self/exe", "note-run", file.string()}; }

void remove_run_note(const fs::path& file) noexcept { ::unlink(file.c_str()); }

std::string peek_run_note(const fs::path& file) {
  try {
    return RealFileSystem().read(file).value_or("");
  } catch (const Error&) {
    return "";
  }
}

std::string read_run_note(const fs::path& file, Clock& clock) {
  try {
    if (!RealFileSystem().status(file)) return "";
    const Fd fd = Fd::open(file.string(), O_RDONLY | O_NOFOLLOW);
    const Deadline end = Deadline::after(std::chrono::seconds(1), clock);
    while (::flock(fd.get(), LOCK_SH | LOCK_NB) != 0 && !end.passed(clock.now())) {
      clock.sleep(std::chrono::milliseconds(5));
    }
  } catch (const Error&) {
    return "";
  }
  return peek_run_note(file);
}

}  // namespace hearth::agent
