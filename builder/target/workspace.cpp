#include "builder/target/workspace.hpp"

#include <sys/statvfs.h>
#include <sys/wait.h>
#include <unistd.h>

#include <csignal>

#include "base/error.hpp"
#include "base/sys/namespace.hpp"
#include "base/sys/process.hpp"
#include "base/text.hpp"

namespace hearth::builder {

namespace {

constexpr const char* k_directory_prefix = "hearth-build.";
constexpr std::uint64_t k_full_place = 256UL * 1024;  // bytes: less is left where somebody found no room

fs::path lock_of(const fs::path& directory) { return directory.string() + ".lock"; }

/// Files in it may belong to sub-ids of the user, so it is removed from inside a user namespace.
void remove_directory(const fs::path& directory) noexcept {
  try {
    NamespacedProcess remover = NamespacedProcess::start([&] {
      boost::system::error_code ignored;
      fs::remove_all(directory, ignored);
      return 0;
    });
    while (!remover.wait()) {
    }
  } catch (const std::exception&) {  // the next build sweeps it
  }
  ::unlink(lock_of(directory).c_str());
}

void sweep(const fs::path& parent) {
  for (const std::string& name : RealFileSystem().list(parent)) {
    const fs::path directory = parent / name;
    if (name.compare(0, std::char_traits<char>::length(k_directory_prefix), k_directory_prefix) != 0 ||
        directory.extension() == ".lock")
      continue;
    try {
      if (const std::optional<FileLock> lock = FileLock::try_acquire(lock_of(directory))) remove_directory(directory);
    } catch (const Error&) {  // another user's
    }
  }
}

/// The janitor's life: wait until every holder of the life line is gone, then clean up.
int keep_watch(const fs::path& directory, Pipe& life_line, Pipe& ready) {
  ::setsid();
  for (const int number : {SIGINT, SIGTERM, SIGHUP, SIGQUIT}) ::signal(number, SIG_IGN);
  ready = {};
  life_line.write = Fd();
  char never = 0;
  while (::read(life_line.read.get(), &never, 1) < 0 && errno == EINTR) {
  }
  remove_directory(directory);
  return 0;
}

}  // namespace

Workspace Workspace::create(const fs::path& parent) {
  sweep(parent);
  TempDir directory = TempDir::create(parent, k_directory_prefix);
  std::optional<FileLock> lock = FileLock::try_acquire(lock_of(directory.path()));
  if (!lock || !fs::exists(directory.path())) {  // another build swept it before it was locked
    throw Error(ErrorKind::io, cat("the new directory ", directory.path().string(), " was swept")).hint("Try again.");
  }
  Pipe life_line = Pipe::create();
  Pipe ready = Pipe::create();
  const pid_t janitor = start_companion([&] { return keep_watch(directory.path(), life_line, ready); });
  ready.write = Fd();
  char never = 0;  // the end comes when the janitor is safe from Ctrl-C, or dead
  while (::read(ready.read.get(), &never, 1) < 0 && errno == EINTR) {
  }
  return {directory.release(), std::move(*lock), std::move(life_line.write), janitor};
}

Workspace::Workspace(Workspace&& other) noexcept
    : path_(std::move(other.path_)),
      lock_(std::move(other.lock_)),
      life_line_(std::move(other.life_line_)),
      janitor_(std::exchange(other.janitor_, -1)) {}

Workspace::~Workspace() {
  if (janitor_ <= 0) return;
  life_line_ = Fd();
  while (::waitpid(janitor_, nullptr, 0) < 0 && errno == EINTR) {
  }
}

Error& told_of_full_place(Error& error, const fs::path& directory, std::uint64_t memory) {
  struct statvfs place {};
  const bool is_full = ::statvfs("/hearth", &place) == 0 &&
                       (std::uint64_t{place.f_bavail} * place.f_frsize < k_full_place || place.f_favail == 0);
  if (!is_full) return error;
  if (directory.empty())
    return error.during(cat("building in memory, where ", human_bytes(memory), " are full: --no-tmpfs builds on disk"));
  return error.during(
      cat("building in ", directory.string(), ", which is full: make room there, or let TMPDIR name another place"));
}

}  // namespace hearth::builder
