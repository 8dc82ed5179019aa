// The calls of the C library that change files, for the whole program: they do the same, and note what happens below
// the directory of a LossyDisk. Each goes to the kernel itself, so a forked child may call them while nothing is
// recorded.
#include <dlfcn.h>
#include <fcntl.h>
#include <sys/sendfile.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <sys/uio.h>
#include <unistd.h>

#include <cerrno>
#include <cstdio>
#include <cstring>

#include "tests/fakes/disk_record.hpp"

// Under other names here than in the headers, whose attributes and inline forms they must not meet.
#define HEARTH_CALL(result, name, ...)              \
  result hearth_##name(__VA_ARGS__) __asm__(#name); \
  result hearth_##name(__VA_ARGS__)

namespace hearth::fakes {

std::atomic<DiskRecord*> g_disk_record = nullptr;
std::atomic<bool> g_syncs_nothing = false;

namespace {

/// The recording, held still; null when there is none.
class Held {
 public:
  Held() : record_(g_disk_record.load()) {
    if (record_ != nullptr) record_->mutex.lock();
  }
  Held(const Held&) = delete;
  Held& operator=(const Held&) = delete;
  ~Held() {
    const int error = errno;
    if (record_ != nullptr) record_->mutex.unlock();
    errno = error;
  }
  explicit operator bool() const { return record_ != nullptr; }
  DiskRecord* operator->() const { return record_; }

 private:
  DiskRecord* record_;
};

/// A recorded file that lives under this number; nothing else is worth waiting for.
bool is_recorded_file(int fd) {
  struct stat info {};
  return g_disk_record.load() != nullptr && ::fstat(fd, &info) == 0 && S_ISREG(info.st_mode);
}

bool may_write(const Held& held, int fd) { return !held || !held->node_of(fd) || held->has_room(); }

void note_size(const Held& held, NodeId node, std::uint64_t size) {
  held->note({.kind = DiskAction::size, .node = node, .offset = size, .text = {}, .changes = {}});
}

int open_file(int at, const char* path, int flags, mode_t mode) {
  const bool unnamed = (flags & O_TMPFILE) == O_TMPFILE;
  if (g_disk_record.load() == nullptr || (!unnamed && (flags & (O_CREAT | O_TRUNC)) == 0)) {
    return static_cast<int>(::syscall(SYS_openat, at, path, flags, mode));
  }
  const Held held;
  if (held && unnamed && held->refuses_unnamed) {
    errno = EOPNOTSUPP;
    return -1;
  }
  const auto place = held ? held->place_of(at, path) : std::nullopt;
  const bool below = held && unnamed && held->node_at(at, path, true).has_value();
  const auto before = held ? held->node_at(at, path, true) : std::nullopt;
  if ((below || (place && !before)) && !held->has_room()) return -1;
  const int fd = static_cast<int>(::syscall(SYS_openat, at, path, flags, mode));
  struct stat info {};
  if (fd < 0 || !held || ::fstat(fd, &info) != 0 || !S_ISREG(info.st_mode)) return fd;
  if (below) {
    held->add(info);
  } else if (before && (flags & O_TRUNC) != 0) {
    note_size(held, *before, 0);
  } else if (place && !before) {
    held->note_names({{place->directory, place->name, held->add(info)}});
  }
  return fd;
}

void note_data(const Held& held, int fd, std::uint64_t offset, const char* bytes, std::size_t count) {
  if (const auto node = held->node_of(fd)) {
    held->note(
        {.kind = DiskAction::data, .node = *node, .offset = offset, .text = std::string(bytes, count), .changes = {}});
  }
}

/// Where write(2) began that has just written `count` bytes.
std::uint64_t begin_of(int fd, std::size_t count) {
  return static_cast<std::uint64_t>(::lseek(fd, 0, SEEK_CUR)) - count;
}

/// What another call has just written, read back.
void note_written(const Held& held, int fd, std::uint64_t offset, std::size_t count) {
  std::string bytes(count, '\0');
  const int again = static_cast<int>(
      ::syscall(SYS_openat, AT_FDCWD, ("/proc/self/fd/" + std::to_string(fd)).c_str(), O_RDONLY | O_CLOEXEC, 0));
  const ssize_t got = ::pread(again, bytes.data(), count, static_cast<off_t>(offset));
  ::close(again);
  if (got == static_cast<ssize_t>(count)) note_data(held, fd, offset, bytes.data(), count);
}

ssize_t write_at(int fd, const void* bytes, std::size_t count, off_t offset) {
  const auto run = [&] { return ::syscall(SYS_pwrite64, fd, bytes, count, offset); };
  if (!is_recorded_file(fd)) return run();
  const Held held;
  if (!may_write(held, fd)) return -1;
  const ssize_t done = run();
  if (done > 0 && held)
    note_data(held, fd, static_cast<std::uint64_t>(offset), static_cast<const char*>(bytes),
              static_cast<std::size_t>(done));
  return done;
}

int resize(int fd, off_t size) {
  const auto run = [&] { return static_cast<int>(::syscall(SYS_ftruncate, fd, size)); };
  if (!is_recorded_file(fd)) return run();
  const Held held;
  const int code = run();
  const auto node = code == 0 && held ? held->node_of(fd) : std::nullopt;
  if (node) note_size(held, *node, static_cast<std::uint64_t>(size));
  return code;
}

int sync_file(int fd, long call) {
  const Held held;
  const auto node = held ? held->node_of(fd) : std::nullopt;
  const DiskAction kind = call == SYS_syncfs ? DiskAction::sync_all : DiskAction::sync;
  if (node && held->refuses_syncs) {
    errno = EIO;
    return -1;
  }
  if (node) held->note({.kind = kind, .node = *node, .offset = 0, .text = {}, .changes = {}});
  return g_syncs_nothing.load() ? 0 : static_cast<int>(::syscall(call, fd));
}

void sync_all() {
  const Held held;
  if (held) held->note({.kind = DiskAction::sync_all, .node = 0, .offset = 0, .text = {}, .changes = {}});
  if (!g_syncs_nothing.load()) ::syscall(SYS_sync);
}

int rename_file(int from_at, const char* from, int to_at, const char* to, unsigned flags) {
  const Held held;
  const auto source = held ? held->place_of(from_at, from) : std::nullopt;
  const auto target = held ? held->place_of(to_at, to) : std::nullopt;
  const auto moved = held ? held->node_at(from_at, from, false) : std::nullopt;
  const auto other = held ? held->node_at(to_at, to, false) : std::nullopt;
  const int code = static_cast<int>(::syscall(SYS_renameat2, from_at, from, to_at, to, flags));
  if (code != 0 || !held) return code;
  std::vector<NameChange> changes;
  if (source)
    changes.push_back({source->directory, source->name, (flags & RENAME_EXCHANGE) != 0 ? other : std::nullopt});
  if (target) changes.push_back({target->directory, target->name, moved});
  if (!changes.empty()) held->note_names(std::move(changes));
  return code;
}

int link_file(int from_at, const char* from, int to_at, const char* to, int flags) {
  const Held held;
  const auto node = held ? held->node_at(from_at, from, (flags & AT_SYMLINK_FOLLOW) != 0) : std::nullopt;
  const auto target = held ? held->place_of(to_at, to) : std::nullopt;
  const int code = static_cast<int>(::syscall(SYS_linkat, from_at, from, to_at, to, flags));
  if (code == 0 && node && target) held->note_names({{target->directory, target->name, node}});
  return code;
}

int remove_name(int at, const char* path, int flags) {
  const Held held;
  const auto place = held ? held->place_of(at, path) : std::nullopt;
  const int code = static_cast<int>(::syscall(SYS_unlinkat, at, path, flags));
  if (code == 0 && place) held->note_names({{place->directory, place->name, std::nullopt}});
  return code;
}

/// After a call that made `path`.
int made(const Held& held, int code, int at, const char* path) {
  struct stat info {};
  const auto place = code == 0 && held ? held->place_of(at, path) : std::nullopt;
  if (!place || ::fstatat(at, path, &info, AT_SYMLINK_NOFOLLOW) != 0) return code;
  const NodeId node = held->add(info);
  if (S_ISLNK(info.st_mode)) {
    std::string target(static_cast<std::size_t>(info.st_size), '\0');
    if (::readlinkat(at, path, target.data(), target.size()) > 0) held->nodes[node].link = target;
  }
  held->note_names({{place->directory, place->name, node}});
  return code;
}

int make_directory(int at, const char* path, mode_t mode) {
  const Held held;
  if (held && held->place_of(at, path) && !held->node_at(at, path, true) && !held->has_room()) return -1;
  return made(held, static_cast<int>(::syscall(SYS_mkdirat, at, path, mode)), at, path);
}

std::FILE* open_stream(const char* path, const char* mode) {
  using Function = std::FILE* (*)(const char*, const char*);
  static const auto real = reinterpret_cast<Function>(::dlsym(RTLD_NEXT, "fopen"));
  if (std::strpbrk(mode, "wa+") == nullptr || g_disk_record.load() == nullptr) return real(path, mode);
  const int flags = std::strchr(mode, 'w') != nullptr ? O_TRUNC : 0;  // what the stream does is seen through its number
  const int fd = open_file(AT_FDCWD, path, O_RDWR | O_CREAT | O_CLOEXEC | flags, 0666);
  if (fd < 0) return nullptr;
  ::close(fd);
  return real(path, mode);
}

}  // namespace

}  // namespace hearth::fakes

namespace fakes = hearth::fakes;

extern "C" {

HEARTH_CALL(int, open, const char* path, int flags, mode_t mode) {
  return fakes::open_file(AT_FDCWD, path, flags, mode);
}
HEARTH_CALL(int, open64, const char* path, int flags, mode_t mode) {
  return fakes::open_file(AT_FDCWD, path, flags, mode);
}
HEARTH_CALL(int, openat, int at, const char* path, int flags, mode_t mode) {
  return fakes::open_file(at, path, flags, mode);
}
HEARTH_CALL(int, openat64, int at, const char* path, int flags, mode_t mode) {
  return fakes::open_file(at, path, flags, mode);
}
HEARTH_CALL(std::FILE*, fopen, const char* path, const char* mode) { return fakes::open_stream(path, mode); }
HEARTH_CALL(std::FILE*, fopen64, const char* path, const char* mode) { return fakes::open_stream(path, mode); }

HEARTH_CALL(ssize_t, write, int fd, const void* bytes, std::size_t count) {
  if (!fakes::is_recorded_file(fd)) return ::syscall(SYS_write, fd, bytes, count);
  const fakes::Held held;
  if (!fakes::may_write(held, fd)) return -1;
  const ssize_t done = ::syscall(SYS_write, fd, bytes, count);
  const auto size = static_cast<std::size_t>(done > 0 ? done : 0);
  if (size > 0 && held) fakes::note_data(held, fd, fakes::begin_of(fd, size), static_cast<const char*>(bytes), size);
  return done;
}
HEARTH_CALL(ssize_t, writev, int fd, const iovec* parts, int count) {
  if (!fakes::is_recorded_file(fd)) return ::syscall(SYS_writev, fd, parts, count);
  const fakes::Held held;
  if (!fakes::may_write(held, fd)) return -1;
  const ssize_t done = ::syscall(SYS_writev, fd, parts, count);
  const auto size = static_cast<std::size_t>(done > 0 ? done : 0);
  if (size > 0 && held) fakes::note_written(held, fd, fakes::begin_of(fd, size), size);
  return done;
}
HEARTH_CALL(ssize_t, pwrite, int fd, const void* bytes, std::size_t count, off_t offset) {
  return fakes::write_at(fd, bytes, count, offset);
}
HEARTH_CALL(ssize_t, pwrite64, int fd, const void* bytes, std::size_t count, off_t offset) {
  return fakes::write_at(fd, bytes, count, offset);
}
HEARTH_CALL(ssize_t, sendfile, int to, int from, off_t* offset, std::size_t count) {
  if (!fakes::is_recorded_file(to)) return ::syscall(SYS_sendfile, to, from, offset, count);
  const fakes::Held held;
  if (!fakes::may_write(held, to)) return -1;
  const ssize_t done = ::syscall(SYS_sendfile, to, from, offset, count);
  const auto size = static_cast<std::size_t>(done > 0 ? done : 0);
  if (size > 0 && held) fakes::note_written(held, to, fakes::begin_of(to, size), size);
  return done;
}
HEARTH_CALL(ssize_t, copy_file_range, int from, off_t* from_offset, int to, off_t* to_offset, std::size_t count,
            unsigned flags) {
  const auto run = [&] { return ::syscall(SYS_copy_file_range, from, from_offset, to, to_offset, count, flags); };
  if (!fakes::is_recorded_file(to)) return run();
  const fakes::Held held;
  if (!fakes::may_write(held, to)) return -1;
  const ssize_t done = run();
  const auto size = static_cast<std::size_t>(done > 0 ? done : 0);
  if (size == 0 || !held) return done;
  const std::uint64_t begin =
      to_offset != nullptr ? static_cast<std::uint64_t>(*to_offset) - size : fakes::begin_of(to, size);
  fakes::note_written(held, to, begin, size);
  return done;
}
HEARTH_CALL(int, ftruncate, int fd, off_t size) { return fakes::resize(fd, size); }
HEARTH_CALL(int, ftruncate64, int fd, off_t size) { return fakes::resize(fd, size); }

HEARTH_CALL(int, fsync, int fd) { return fakes::sync_file(fd, SYS_fsync); }
HEARTH_CALL(int, fdatasync, int fd) { return fakes::sync_file(fd, SYS_fdatasync); }
HEARTH_CALL(int, syncfs, int fd) { return fakes::sync_file(fd, SYS_syncfs); }

HEARTH_CALL(void, sync) { fakes::sync_all(); }

HEARTH_CALL(int, rename, const char* from, const char* to) {
  return fakes::rename_file(AT_FDCWD, from, AT_FDCWD, to, 0);
}
HEARTH_CALL(int, renameat, int from_at, const char* from, int to_at, const char* to) {
  return fakes::rename_file(from_at, from, to_at, to, 0);
}
HEARTH_CALL(int, renameat2, int from_at, const char* from, int to_at, const char* to, unsigned flags) {
  return fakes::rename_file(from_at, from, to_at, to, flags);
}
HEARTH_CALL(int, link, const char* from, const char* to) { return fakes::link_file(AT_FDCWD, from, AT_FDCWD, to, 0); }
HEARTH_CALL(int, linkat, int from_at, const char* from, int to_at, const char* to, int flags) {
  return fakes::link_file(from_at, from, to_at, to, flags);
}
HEARTH_CALL(int, unlink, const char* path) { return fakes::remove_name(AT_FDCWD, path, 0); }
HEARTH_CALL(int, rmdir, const char* path) { return fakes::remove_name(AT_FDCWD, path, AT_REMOVEDIR); }
HEARTH_CALL(int, unlinkat, int at, const char* path, int flags) { return fakes::remove_name(at, path, flags); }
HEARTH_CALL(int, remove, const char* path) {
  const int code = fakes::remove_name(AT_FDCWD, path, 0);
  return code != 0 && errno == EISDIR ? fakes::remove_name(AT_FDCWD, path, AT_REMOVEDIR) : code;
}
HEARTH_CALL(int, mkdir, const char* path, mode_t mode) { return fakes::make_directory(AT_FDCWD, path, mode); }
HEARTH_CALL(int, mkdirat, int at, const char* path, mode_t mode) { return fakes::make_directory(at, path, mode); }
HEARTH_CALL(int, symlink, const char* target, const char* path) {
  const fakes::Held held;
  return fakes::made(held, static_cast<int>(::syscall(SYS_symlinkat, target, AT_FDCWD, path)), AT_FDCWD, path);
}
HEARTH_CALL(int, symlinkat, const char* target, int at, const char* path) {
  const fakes::Held held;
  return fakes::made(held, static_cast<int>(::syscall(SYS_symlinkat, target, at, path)), at, path);
}
HEARTH_CALL(char*, mkdtemp, char* pattern) {
  using Function = char* (*)(char*);
  static const auto real = reinterpret_cast<Function>(::dlsym(RTLD_NEXT, "mkdtemp"));
  const fakes::Held held;
  char* const path = real(pattern);
  if (path != nullptr) (void)fakes::made(held, 0, AT_FDCWD, path);
  return path;
}

}  // extern "C"
