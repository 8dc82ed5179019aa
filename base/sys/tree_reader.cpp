#include "base/sys/tree_reader.hpp"

#include <dirent.h>
#include <fcntl.h>
#include <linux/openat2.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <climits>
#include <memory>

#include "base/error.hpp"
#include "base/text.hpp"

namespace hearth {

namespace {

/// Somebody renames meanwhile: the kernel can't tell whether ".." stayed inside, and wants to be asked again (EAGAIN).
constexpr int k_most_tries = 128;

int open_within(const Fd& directory, const std::string& path, int flags, unsigned mode, std::uint64_t resolve) {
  open_how how{};
  how.flags = static_cast<std::uint64_t>(flags) | O_CLOEXEC;
  how.mode = mode;
  how.resolve = resolve | RESOLVE_NO_MAGICLINKS;
  int fd = -1;
  for (int tries = 0; tries < k_most_tries; ++tries) {
    fd = static_cast<int>(::syscall(SYS_openat2, directory.get(), path.c_str(), &how, sizeof how));
    if (fd >= 0 || (errno != EAGAIN && errno != EINTR)) break;
  }
  if (fd < 0 && errno == ENOSYS) {
    throw Error(ErrorKind::unsupported, "the kernel has no openat2(), by which files of a foreign tree are opened")
        .hint("It came with Linux 5.6; some containers forbid it.");
  }
  return fd;
}

bool leads_nowhere(int error_number) {
  return error_number == ENOENT || error_number == ENOTDIR || error_number == ELOOP || error_number == ENXIO;
}

FileStatus file_status_of(const struct stat& info) {
  FileStatus status{.mode = info.st_mode & 07777U,
                    .uid = info.st_uid,
                    .gid = info.st_gid,
                    .size = static_cast<std::uint64_t>(info.st_size)};
  if (S_ISREG(info.st_mode)) status.type = FileStatus::Type::regular;
  if (S_ISDIR(info.st_mode)) status.type = FileStatus::Type::directory;
  if (S_ISLNK(info.st_mode)) status.type = FileStatus::Type::symlink;
  return status;
}

struct stat stat_of_open(const Fd& file, const fs::path& path) {
  struct stat info {};
  if (::fstat(file.get(), &info) != 0) throw Error::from_errno("looking at", path.string());
  return info;
}

}  // namespace

Fd open_beneath(const Fd& directory, const std::string& path, int flags, unsigned mode) {
  Fd file(open_within(directory, path, flags, mode, RESOLVE_BENEATH | RESOLVE_NO_SYMLINKS));
  if (file) return file;
  if (errno == EXDEV || errno == ELOOP) {
    throw Error(ErrorKind::input, cat("the path '", path, "' leads over a link or out of its directory"));
  }
  throw Error::from_errno("opening", path);
}

fs::path make_directories_in_tree(const fs::path& tree, const fs::path& path) {
  const fs::path guest = GuestPath(cat("/", path.string())).text();
  if (const std::optional<fs::path> found = TreeReader(tree).host_path(guest)) return *found;
  fs::path made = make_directories_in_tree(tree, guest.parent_path()) / guest.filename();
  if (::mkdir(made.c_str(), 0755) != 0) throw Error::from_errno("creating the directory", made.string());
  ::chmod(made.c_str(), 0755);  // whatever the umask
  return made;
}

TreeReader::TreeReader(const fs::path& root) : root_path_(root), root_(Fd::open(root.string(), O_PATH | O_DIRECTORY)) {}

Fd TreeReader::open(const fs::path& path, int flags) const {
  Fd file(open_within(root_, path.empty() ? "/" : path.string(), flags, 0, RESOLVE_IN_ROOT));
  if (!file && !leads_nowhere(errno)) throw Error::from_errno("opening", (root_path_ / path.relative_path()).string());
  return file;
}

std::optional<std::string> TreeReader::read(const fs::path& path) const {
  const Fd file = open(path, O_RDONLY | O_NONBLOCK);
  if (!file || !S_ISREG(stat_of_open(file, path).st_mode)) return std::nullopt;
  return read_all(file, path.string());
}

std::optional<FileStatus> TreeReader::status(const fs::path& path) const {
  const Fd file = open(path, O_PATH);
  return file ? std::optional(file_status_of(stat_of_open(file, path))) : std::nullopt;
}

std::vector<std::string> TreeReader::list(const fs::path& directory) const {
  Fd file = open(directory, O_RDONLY | O_DIRECTORY);
  if (!file) return {};
  const std::unique_ptr<DIR, int (*)(DIR*)> stream(::fdopendir(file.get()), ::closedir);
  if (!stream) throw Error::from_errno("listing", directory.string());
  (void)file.release();
  std::vector<std::string> names;
  while (const dirent* entry = ::readdir(stream.get())) {
    const std::string name = entry->d_name;
    if (name != "." && name != "..") names.push_back(name);
  }
  std::sort(names.begin(), names.end());
  return names;
}

std::optional<std::string> TreeReader::link_text(const fs::path& path) const {
  const Fd file = open(path, O_PATH | O_NOFOLLOW);
  if (!file || !S_ISLNK(stat_of_open(file, path).st_mode)) return std::nullopt;
  std::array<char, PATH_MAX> text{};
  const ssize_t size = ::readlinkat(file.get(), "", text.data(), text.size());
  if (size < 0) throw Error::from_errno("reading the link", path.string());
  return std::string(text.data(), static_cast<std::size_t>(size));
}

std::optional<fs::path> TreeReader::host_path(const fs::path& path) const {
  const Fd file = open(path, O_PATH);
  if (!file) return std::nullopt;
  return fs::read_symlink(cat("/proc/self/fd/", file.get()));
}

}  // namespace hearth
