#include "base/sys/file.hpp"

#include <dirent.h>
#include <fcntl.h>
#include <poll.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <memory>

#include "base/error.hpp"
#include "base/sys/random.hpp"
#include "base/sys/sync.hpp"
#include "base/text.hpp"

namespace hearth {

namespace {

constexpr std::size_t k_largest_read = std::size_t{1} << 30U;
constexpr std::size_t k_largest_small = std::size_t{1} << 20U;

bool is_missing(int error_number) { return error_number == ENOENT || error_number == ENOTDIR; }

FileStatus::Type type_of(mode_t mode) {
  if (S_ISREG(mode)) return FileStatus::Type::regular;
  if (S_ISDIR(mode)) return FileStatus::Type::directory;
  if (S_ISLNK(mode)) return FileStatus::Type::symlink;
  return FileStatus::Type::other;
}

fs::path directory_of(const fs::path& target) {
  const fs::path parent = target.parent_path();
  return parent.empty() ? fs::path(".") : parent;
}

fs::path hidden_name(const fs::path& target) {
  constexpr std::size_t shown = 200;  // a name may have 255 bytes, ours with the rest too
  return directory_of(target) / cat(".", target.filename().string().substr(0, shown), ".", random_hex(8));
}

/// File systems without O_TMPFILE answer EOPNOTSUPP; kernels or layers without it EISDIR or EINVAL.
bool lacks_unnamed_files(int error_number) {
  return error_number == EOPNOTSUPP || error_number == EISDIR || error_number == EINVAL;
}

/// Reading a pipe would wait for ever where nobody writes to it. Who writes has it open by now, or is waiting in open()
/// for a reader, which counts. Returns what was read of it.
std::string begin_pipe(const Fd& fd, const fs::path& path) {
  struct pollfd waiting = {fd.get(), POLLIN, 0};
  if (::poll(&waiting, 1, 0) != 0) return "";
  char byte = 0;
  const ssize_t got = ::read(fd.get(), &byte, 1);
  if (got != 0) return got > 0 ? std::string(1, byte) : "";
  throw Error(ErrorKind::input, cat(path.string(), " is a pipe that nobody writes to; a file is expected there"));
}

}  // namespace

bool is_directory(const FileReader& files, const fs::path& path) {
  const std::optional<FileStatus> status = files.status(path);
  return status && status->type == FileStatus::Type::directory;
}

bool is_regular_file(const FileReader& files, const fs::path& path) {
  const std::optional<FileStatus> status = files.status(path);
  return status && status->type == FileStatus::Type::regular;
}

/// Of a file that tells its size, into memory of that size; one that is longer by now, and those of /proc, to their
/// end.
static std::string read_regular(const Fd& fd, const fs::path& path, std::size_t size, std::size_t most) {
  std::string data(size, '\0');
  std::size_t filled = 0;
  while (filled < size) {
    const ssize_t got = ::read(fd.get(), data.data() + filled, size - filled);
    if (got < 0 && errno == EINTR) continue;
    if (got < 0) throw Error::from_errno("reading", path.string());
    if (got == 0) break;
    filled += static_cast<std::size_t>(got);
  }
  data.resize(filled);
  const std::string rest = read_all(fd, path.string(), most);
  if (rest.size() > most - data.size())
    throw Error(ErrorKind::input, cat("reading ", path.string(), ": larger than ", human_bytes(most)));
  return rest.empty() ? data : data + rest;
}

static std::optional<std::string> read_within(const fs::path& path, std::size_t most) {
  const int number = ::open(path.c_str(), O_RDONLY | O_CLOEXEC | O_NONBLOCK);
  if (number < 0 && is_missing(errno)) return std::nullopt;
  if (number < 0 && errno == ENXIO) {
    throw Error(ErrorKind::input, cat(path.string(), " is a socket or a device that is not there; a file is expected"));
  }
  if (number < 0) throw Error::from_errno("opening", path.string());
  const Fd fd(number);
  struct stat info {};
  if (::fstat(number, &info) == 0 && S_ISREG(info.st_mode)) {
    if (static_cast<std::uint64_t>(info.st_size) > most)
      throw Error(ErrorKind::input, cat("reading ", path.string(), ": larger than ", human_bytes(most)));
    return read_regular(fd, path, static_cast<std::size_t>(info.st_size), most);
  }
  const std::string begun = S_ISFIFO(info.st_mode) ? begin_pipe(fd, path) : "";
  const int flags = ::fcntl(number, F_GETFL);
  if (flags < 0 || ::fcntl(number, F_SETFL, flags & ~O_NONBLOCK) != 0) {
    throw Error::from_errno("reading", path.string());
  }
  return begun + read_all(fd, path.string(), most);
}

std::optional<std::string> RealFileSystem::read(const fs::path& path) const {
  return read_within(path, k_largest_read);
}

std::optional<FileStatus> RealFileSystem::status(const fs::path& path) const {
  struct stat info {};
  if (::stat(path.c_str(), &info) != 0) {
    if (is_missing(errno)) return std::nullopt;
    throw Error::from_errno("looking at", path.string());
  }
  return FileStatus{type_of(info.st_mode),
                    info.st_mode & 07777U,
                    info.st_uid,
                    info.st_gid,
                    static_cast<std::uint64_t>(info.st_size),
                    info.st_mtim.tv_sec * std::int64_t{1'000'000'000} + info.st_mtim.tv_nsec};
}

std::vector<std::string> RealFileSystem::list(const fs::path& directory) const {
  const std::unique_ptr<DIR, int (*)(DIR*)> stream(::opendir(directory.c_str()), ::closedir);
  if (!stream) {
    if (is_missing(errno)) return {};
    throw Error::from_errno("listing", directory.string());
  }
  std::vector<std::string> names;
  while (const dirent* entry = ::readdir(stream.get())) {
    const std::string name = entry->d_name;
    if (name != "." && name != "..") names.push_back(name);
  }
  std::sort(names.begin(), names.end());
  return names;
}

void RealFileSystem::write(const fs::path& path, std::string_view data, const FileAttributes& attributes) {
  AtomicFile file = AtomicFile::create(path, attributes.mode);
  write_all(file.fd(), data, path.string());
  if (attributes.uid || attributes.gid) {
    const auto keep = static_cast<uid_t>(-1);
    if (::fchown(file.fd().get(), attributes.uid.value_or(keep), attributes.gid.value_or(keep)) != 0) {
      throw Error::from_errno("changing the owner of", path.string());
    }
  }
  if (::fchmod(file.fd().get(), attributes.mode) != 0) throw Error::from_errno("changing the mode of", path.string());
  file.commit();
}

void RealFileSystem::make_directories(const fs::path& path, std::uint32_t mode) {
  if (path.empty() || ::mkdir(path.c_str(), mode) == 0) return;
  if (errno == ENOENT) {
    make_directories(path.parent_path(), mode);
    if (::mkdir(path.c_str(), mode) == 0) return;
  }
  const int error_number = errno;
  struct stat info {};
  if (error_number == EEXIST && ::stat(path.c_str(), &info) == 0 && S_ISDIR(info.st_mode)) return;
  throw Error::from_errno("creating the directory", path.string(), error_number);
}

void RealFileSystem::remove(const fs::path& path) {
  if (::remove(path.c_str()) == 0 || is_missing(errno)) return;
  const int error = errno;  // a read-only file system says so of what is missing, too
  struct stat there {};
  if (::lstat(path.c_str(), &there) == 0 || !is_missing(errno))
    throw Error::from_errno("removing", path.string(), error);
}

AtomicFile AtomicFile::create(const fs::path& target, std::uint32_t mode) {
  struct stat there {};
  const bool is_there = ::stat(target.c_str(), &there) == 0;
  // root would have no /dev/null any more, nor a /dev/stdout, which may lead to a pipe
  if (is_there && !S_ISREG(there.st_mode) && !S_ISDIR(there.st_mode)) {
    const char* const kind = S_ISFIFO(there.st_mode) ? "pipe" : S_ISSOCK(there.st_mode) ? "socket" : "device";
    throw Error(ErrorKind::input, cat(target.string(), " is a ", kind, ", whose place a file would take"));
  }
  if (is_there && S_ISDIR(there.st_mode) && ::lstat(target.c_str(), &there) == 0 && S_ISDIR(there.st_mode))
    throw Error::from_errno("renaming to", target.string(), EISDIR);
  const fs::path directory = directory_of(target);
  // Without /proc (an early boot, a container from scratch) an unnamed file could never get its name.
  const bool can_be_named = ::access("/proc/self/fd", X_OK) == 0;
  const int unnamed = can_be_named ? ::open(directory.c_str(), O_TMPFILE | O_RDWR | O_CLOEXEC, mode) : -1;
  if (unnamed >= 0) return {target, Fd(unnamed), fs::path()};
  if (can_be_named && !lacks_unnamed_files(errno)) throw Error::from_errno("creating a file in", directory.string());
  const fs::path temporary = hidden_name(target);
  return {target, Fd::open(temporary.string(), O_RDWR | O_CREAT | O_EXCL, mode), temporary};
}

AtomicFile::~AtomicFile() {
  if (!temporary_.empty()) ::unlink(temporary_.c_str());
}

std::string AtomicFile::proc_path() const {
  return temporary_.empty() ? cat("/proc/", ::getpid(), "/fd/", fd_.get()) : temporary_.string();
}

void AtomicFile::sync() const {
  if (::fsync(fd_.get()) != 0) throw Error::from_errno("syncing", target_.string());
}

bool AtomicFile::link_as(const fs::path& name) const {
  const std::string unnamed = cat("/proc/self/fd/", fd_.get());
  if (::linkat(AT_FDCWD, unnamed.c_str(), AT_FDCWD, name.c_str(), AT_SYMLINK_FOLLOW) == 0) return true;
  if (errno != EEXIST) throw Error::from_errno("naming", target_.string());
  return false;
}

void AtomicFile::take_hidden_name() {
  if (!temporary_.empty()) return;
  const fs::path hidden = hidden_name(target_);
  if (!link_as(hidden)) throw Error::from_errno("naming", target_.string());
  temporary_ = hidden;
}

void AtomicFile::park() {
  take_hidden_name();
  fd_.close();
}

void AtomicFile::prepare_name() {
  if (temporary_.empty() && link_as(target_)) temporary_ = target_;
  take_hidden_name();
}

void AtomicFile::take_name() {
  prepare_name();
  if (temporary_ != target_ && ::rename(temporary_.c_str(), target_.c_str()) != 0) {
    throw Error::from_errno("renaming to", target_.string());
  }
  temporary_.clear();
  fd_.close();
}

void AtomicFile::commit() {
  sync();
  take_name();
  sync_directory(directory_of(target_));
}

TempDir TempDir::create(const fs::path& parent, std::string_view prefix) {
  std::string name = (parent / cat(prefix, "XXXXXX")).string();
  if (::mkdtemp(name.data()) == nullptr) throw Error::from_errno("creating a directory in", parent.string());
  return TempDir(name);
}

TempDir::~TempDir() {
  boost::system::error_code ignored;
  if (!path_.empty()) fs::remove_all(path_, ignored);
}

fs::path TempDir::release() { return std::exchange(path_, fs::path()); }

std::optional<std::string> read_small_file(const fs::path& path) { return read_within(path, k_largest_small); }

std::string read_file(const fs::path& path) {
  std::optional<std::string> data = RealFileSystem().read(path);
  if (!data) throw Error(ErrorKind::not_found, cat("there is no file ", path.string()));
  return std::move(*data);
}

}  // namespace hearth
