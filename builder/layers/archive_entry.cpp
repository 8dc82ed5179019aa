#include "builder/layers/archive_entry.hpp"

#include <fcntl.h>
#include <sys/stat.h>
#include <sys/xattr.h>
#include <unistd.h>

#include <array>

#include "base/sys/file.hpp"
#include "base/text.hpp"

namespace hearth::builder {

namespace {

/// A path of the archive stays below the root: it comes from a file that others may have written.
fs::path place_of(const fs::path& root, std::string_view path) {
  if (path.empty()) return root;
  for (std::size_t at = 0; at <= path.size();) {
    const std::string_view part = path.substr(at, path.find('/', at) - at);
    at += part.size() + 1;
    if (part.empty() || part == "." || part == "..") {
      throw Error(ErrorKind::input, cat("the layer archive holds the path '", path, "'"));
    }
  }
  return root / std::string(path);
}

std::map<std::string, std::string> read_attributes(const fs::path& path) {
  std::map<std::string, std::string> attributes;
  std::array<char, 4096> names{};
  const ssize_t size = ::llistxattr(path.c_str(), names.data(), names.size());
  if (size <= 0) return attributes;
  for (const std::string& name : split(std::string_view(names.data(), static_cast<std::size_t>(size)), '\0')) {
    std::array<char, 65536> value{};
    const ssize_t length = name.empty() ? -1 : ::lgetxattr(path.c_str(), name.c_str(), value.data(), value.size());
    if (length >= 0) attributes[name] = std::string(value.data(), static_cast<std::size_t>(length));
  }
  return attributes;
}

/// Appends `length` bytes of the file from `begin` on.
void append_range(std::string& out, const Fd& file, off_t begin, std::uint64_t length, const fs::path& path) {
  const std::size_t at = out.size();
  out.resize(at + length);
  for (std::uint64_t done = 0; done < length;) {
    const ssize_t got = ::pread(file.get(), out.data() + at + done, length - done, begin + static_cast<off_t>(done));
    if (got < 0 && errno == EINTR) continue;
    if (got <= 0) throw Error::from_errno("reading", path.string(), got == 0 ? EIO : errno);
    done += static_cast<std::uint64_t>(got);
  }
}

/// Appends the ranges of a file that hold data: their number, then offset, length and bytes of each.
void put_data(std::string& out, const fs::path& path, std::uint64_t size) {
  const Fd file = Fd::open(path.string(), O_RDONLY | O_NOFOLLOW);
  const std::size_t place = out.size();
  std::uint32_t count = 0;
  wire::put(out, count);
  off_t data = size == 0 ? -1 : ::lseek(file.get(), 0, SEEK_DATA);
  while (data >= 0 && static_cast<std::uint64_t>(data) < size) {
    const off_t hole = ::lseek(file.get(), data, SEEK_HOLE);
    if (hole <= data) break;
    const std::uint64_t end = std::min(size, static_cast<std::uint64_t>(hole));
    const std::uint64_t length = end - static_cast<std::uint64_t>(data);
    wire::put(out, static_cast<std::uint64_t>(data));
    wire::put(out, length);
    append_range(out, file, data, length, path);
    ++count;
    data = end == size ? -1 : ::lseek(file.get(), static_cast<off_t>(end), SEEK_DATA);
  }
  std::string number;
  wire::put(number, count);
  out.replace(place, number.size(), number);
}

std::array<timespec, 2> times_of(const ArchiveEntry& entry) {
  const timespec time = {static_cast<time_t>(entry.seconds), static_cast<long>(entry.nanoseconds)};
  return {time, time};
}

/// As the following functions, by the open file: its path is not walked again for each.
void set_file(const ArchiveEntry& entry, const Fd& file, const fs::path& path) {
  if ((entry.uid != 0 || entry.gid != 0) && ::fchown(file.get(), entry.uid, entry.gid) != 0) {
    throw Error::from_errno("giving away", path.string());
  }
  if (::fchmod(file.get(), entry.mode & 07777U) != 0) throw Error::from_errno("setting the mode of", path.string());
  for (const auto& [name, value] : entry.attributes) {
    if (::fsetxattr(file.get(), name.c_str(), value.data(), value.size(), 0) != 0) {
      throw Error::from_errno(cat("setting the attribute ", name, " of"), path.string());
    }
  }
  if (::futimens(file.get(), times_of(entry).data()) != 0) {
    throw Error::from_errno("setting the time of", path.string());
  }
}

void restore_data(wire::Reader& bytes, const ArchiveEntry& entry, const fs::path& path) {
  const Fd file = Fd::open(path.string(), O_WRONLY | O_CREAT | O_EXCL | O_NOFOLLOW, 0600);
  std::uint64_t end = 0;
  for (std::uint32_t ranges = bytes.number<std::uint32_t>(); ranges > 0; --ranges) {
    const auto offset = bytes.number<std::uint64_t>();
    const std::string_view data = bytes.take(bytes.number<std::uint64_t>());
    for (std::size_t done = 0; done < data.size();) {
      const ssize_t put =
          ::pwrite(file.get(), data.data() + done, data.size() - done, static_cast<off_t>(offset + done));
      if (put < 0 && errno == EINTR) continue;
      if (put < 0) throw Error::from_errno("writing", path.string());
      done += static_cast<std::size_t>(put);
    }
    end = offset + data.size();
  }
  if (end != entry.size && ::ftruncate(file.get(), static_cast<off_t>(entry.size)) != 0) {
    throw Error::from_errno("writing", path.string());
  }
  set_file(entry, file, path);
}

void set_attributes(const ArchiveEntry& entry, const fs::path& path) {
  for (const auto& [name, value] : entry.attributes) {
    if (::lsetxattr(path.c_str(), name.c_str(), value.data(), value.size(), 0) != 0) {
      throw Error::from_errno(cat("setting the attribute ", name, " of"), path.string());
    }
  }
}

void set_times(const ArchiveEntry& entry, const fs::path& path) {
  if (::utimensat(AT_FDCWD, path.c_str(), times_of(entry).data(), AT_SYMLINK_NOFOLLOW) != 0) {
    throw Error::from_errno("setting the time of", path.string());
  }
}

void set_owner_and_mode(const ArchiveEntry& entry, const fs::path& path) {
  if ((entry.uid != 0 || entry.gid != 0) && ::lchown(path.c_str(), entry.uid, entry.gid) != 0) {
    throw Error::from_errno("giving away", path.string());
  }
  if (!S_ISLNK(entry.mode) && ::chmod(path.c_str(), entry.mode & 07777U) != 0) {
    throw Error::from_errno("setting the mode of", path.string());
  }
}

void make(const ArchiveEntry& entry, wire::Reader& bytes, const fs::path& root) {
  const fs::path path = place_of(root, entry.path);
  int failed = 0;
  if (entry.hard_link) {
    if (::link(place_of(root, entry.link).c_str(), path.c_str()) != 0)
      throw Error::from_errno("linking", path.string());
    return;
  }
  if (entry.is_directory()) {
    if (!entry.path.empty()) failed = ::mkdir(path.c_str(), 0700) != 0 && errno != EEXIST ? -1 : 0;
  } else if (entry.is_regular()) {
    restore_data(bytes, entry, path);
    return;
  } else if (S_ISLNK(entry.mode)) {
    failed = ::symlink(entry.link.c_str(), path.c_str());
  } else {
    failed = ::mknod(path.c_str(), entry.mode, entry.device);
  }
  if (failed != 0) throw Error::from_errno("making", path.string());
  set_owner_and_mode(entry, path);
  set_attributes(entry, path);
  if (!entry.is_directory()) set_times(entry, path);
}

ArchiveEntry entry_of(const fs::path& root, std::string path, const struct stat& status) {
  ArchiveEntry entry{.path = std::move(path),
                     .link = "",
                     .mode = status.st_mode,
                     .uid = status.st_uid,
                     .gid = status.st_gid,
                     .device = status.st_rdev,
                     .seconds = static_cast<std::uint64_t>(status.st_mtim.tv_sec),
                     .nanoseconds = static_cast<std::uint32_t>(status.st_mtim.tv_nsec),
                     .size = S_ISREG(status.st_mode) ? static_cast<std::uint64_t>(status.st_size) : 0,
                     .attributes = read_attributes(root / entry.path)};
  if (S_ISLNK(status.st_mode)) entry.link = fs::read_symlink(root / entry.path).string();
  return entry;
}

class Scan {
 public:
  explicit Scan(const fs::path& root) : root_(root) {}
  std::vector<ArchiveEntry> run() {
    add("");
    return std::move(entries_);
  }

 private:
  void add(const std::string& path) {
    struct stat status {};
    if (::lstat((root_ / path).c_str(), &status) != 0) throw Error::from_errno("reading", (root_ / path).string());
    if (S_ISSOCK(status.st_mode)) return;
    entries_.push_back(entry_of(root_, path, status));
    if (S_ISDIR(status.st_mode)) {
      for (const std::string& name : RealFileSystem().list(root_ / path))
        add(path.empty() ? name : cat(path, "/", name));
    } else if (status.st_nlink > 1) {
      const auto [first, is_new] = inodes_.try_emplace({status.st_dev, status.st_ino}, path);
      entries_.back().hard_link = !is_new;
      if (!is_new) entries_.back().link = first->second;
    }
  }

  const fs::path& root_;
  std::vector<ArchiveEntry> entries_;
  std::map<std::pair<dev_t, ino_t>, std::string> inodes_;
};

}  // namespace

bool ArchiveEntry::is_directory() const { return S_ISDIR(mode); }
bool ArchiveEntry::is_regular() const { return S_ISREG(mode) && !hard_link; }

void put_entry(std::string& out, const ArchiveEntry& entry, const fs::path& root) {
  wire::put_text(out, entry.path);
  wire::put_text(out, entry.link);
  wire::put(out, static_cast<std::uint8_t>(entry.hard_link ? 1 : 0));
  for (const std::uint32_t number : {entry.mode, entry.uid, entry.gid, entry.nanoseconds}) wire::put(out, number);
  for (const std::uint64_t number : {entry.device, entry.seconds, entry.size}) wire::put(out, number);
  wire::put(out, static_cast<std::uint32_t>(entry.attributes.size()));
  for (const auto& [name, value] : entry.attributes) {
    wire::put_text(out, name);
    wire::put_text(out, value);
  }
  if (entry.is_regular()) put_data(out, root / entry.path, entry.size);
}

ArchiveEntry restore_entry(wire::Reader& bytes, const fs::path& root) {
  ArchiveEntry entry;
  entry.path = bytes.text();
  entry.link = bytes.text();
  entry.hard_link = bytes.number<std::uint8_t>() != 0;
  for (std::uint32_t* number : {&entry.mode, &entry.uid, &entry.gid, &entry.nanoseconds}) {
    *number = bytes.number<std::uint32_t>();
  }
  for (std::uint64_t* number : {&entry.device, &entry.seconds, &entry.size}) *number = bytes.number<std::uint64_t>();
  for (auto count = bytes.number<std::uint32_t>(); count > 0; --count) {
    std::string name(bytes.text());
    entry.attributes[std::move(name)] = bytes.text();
  }
  make(entry, bytes, root);
  return entry;
}

void finish_directory(const ArchiveEntry& directory, const fs::path& root) {
  set_times(directory, place_of(root, directory.path));
}

std::vector<ArchiveEntry> scan_tree(const fs::path& root) { return Scan(root).run(); }

}  // namespace hearth::builder
