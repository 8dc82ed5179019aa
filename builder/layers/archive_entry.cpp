#include "builder/layers/archive_entry.hpp"

#include <fcntl.h>
#include <sys/stat.h>
#include <sys/xattr.h>
#include <unistd.h>

#include <array>
#include <system_error>

#include "base/sys/file.hpp"
#include "base/sys/tree_reader.hpp"
#include "base/text.hpp"

namespace hearth::builder {

namespace {

/// What one of the list and get calls gives, however long: its size is asked for first, and again when it grew.
template <class Ask>
std::string attribute_bytes(const Ask& ask) {
  while (true) {
    const ssize_t size = ask(nullptr, 0);
    if (size <= 0) return size == 0 ? "" : throw std::system_error(errno, std::generic_category());
    std::string bytes(static_cast<std::size_t>(size), '\0');
    const ssize_t got = ask(bytes.data(), bytes.size());
    if (got < 0 && errno == ERANGE) continue;
    if (got < 0) throw std::system_error(errno, std::generic_category());
    bytes.resize(static_cast<std::size_t>(got));
    return bytes;
  }
}

std::map<std::string, std::string> read_attributes(const fs::path& path) {
  std::map<std::string, std::string> attributes;
  try {
    const auto list = [&](char* to, std::size_t size) { return ::llistxattr(path.c_str(), to, size); };
    for (const std::string& name : split(attribute_bytes(list), '\0')) {
      const auto get = [&](char* to, std::size_t size) { return ::lgetxattr(path.c_str(), name.c_str(), to, size); };
      if (!name.empty()) attributes[name] = attribute_bytes(get);
    }
  } catch (const std::system_error& error) {
    if (error.code().value() != ENOTSUP) {
      throw Error::from_errno("reading the attributes of", path.string(), error.code().value());
    }
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

/// By the open file: its path is not walked again for each.
void set_file(const ArchiveEntry& entry, const Fd& file, const std::string& path) {
  if ((entry.uid != 0 || entry.gid != 0) && ::fchown(file.get(), entry.uid, entry.gid) != 0) {
    throw Error::from_errno("giving away", path);
  }
  if (::fchmod(file.get(), entry.mode & 07777U) != 0) throw Error::from_errno("setting the mode of", path);
  for (const auto& [name, value] : entry.attributes) {
    if (::fsetxattr(file.get(), name.c_str(), value.data(), value.size(), 0) != 0) {
      throw Error::from_errno(cat("setting the attribute ", name, " of"), path);
    }
  }
  if (!entry.is_directory() && ::futimens(file.get(), times_of(entry).data()) != 0) {
    throw Error::from_errno("setting the time of", path);
  }
}

void write_data(wire::Reader& bytes, const ArchiveEntry& entry, const Fd& file) {
  std::uint64_t end = 0;
  for (std::uint32_t ranges = bytes.number<std::uint32_t>(); ranges > 0; --ranges) {
    const auto offset = bytes.number<std::uint64_t>();
    const std::string_view data = bytes.take(bytes.number<std::uint64_t>());
    for (std::size_t done = 0; done < data.size();) {
      const ssize_t put =
          ::pwrite(file.get(), data.data() + done, data.size() - done, static_cast<off_t>(offset + done));
      if (put < 0 && errno == EINTR) continue;
      if (put < 0) throw Error::from_errno("writing", entry.path);
      done += static_cast<std::size_t>(put);
    }
    end = offset + data.size();
  }
  if (end != entry.size && ::ftruncate(file.get(), static_cast<off_t>(entry.size)) != 0) {
    throw Error::from_errno("writing", entry.path);
  }
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
EntryKind ArchiveEntry::kind() const {
  if (hard_link) return EntryKind::hard_link;
  return is_directory() ? EntryKind::directory : EntryKind::file;
}

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

EntryRestorer::EntryRestorer(const fs::path& root)
    : root_(Fd::open(root.string(), O_PATH | O_DIRECTORY)), parent_(open_beneath(root_, ".", O_PATH | O_DIRECTORY)) {}

/// The directory that `path` is to lie in; `name` becomes its last part.
const Fd& EntryRestorer::parent_of(const std::string& path, std::string& name) {
  const std::size_t slash = path.rfind('/');
  name = slash == std::string::npos ? path : path.substr(slash + 1);
  if (name.empty() || name == "." || name == "..") {
    throw Error(ErrorKind::input, cat("the layer archive holds the path '", path, "'"));
  }
  std::string directory = slash == std::string::npos ? "." : path.substr(0, slash);
  if (directory != parent_path_) {
    parent_ = open_beneath(root_, directory, O_PATH | O_DIRECTORY);
    parent_path_ = std::move(directory);
  }
  return parent_;
}

void EntryRestorer::make_link(const ArchiveEntry& entry) {
  std::string from;
  std::string to;
  const Fd source(::fcntl(parent_of(entry.link, from).get(), F_DUPFD_CLOEXEC, 0));
  const Fd& parent = parent_of(entry.path, to);  // before `to` is read: arguments are evaluated in any order
  if (::linkat(source.get(), from.c_str(), parent.get(), to.c_str(), 0) != 0) {
    throw Error::from_errno("linking", entry.path);
  }
}

void EntryRestorer::make_directory(const ArchiveEntry& entry) {
  if (!entry.path.empty()) {
    std::string name;
    const Fd& parent = parent_of(entry.path, name);
    if (::mkdirat(parent.get(), name.c_str(), 0700) != 0 && errno != EEXIST) {
      throw Error::from_errno("making", entry.path);
    }
  }
  set_file(entry, open_beneath(root_, entry.path.empty() ? "." : entry.path, O_RDONLY | O_DIRECTORY), entry.path);
}

void EntryRestorer::make_file(const ArchiveEntry& entry, wire::Reader& bytes) {
  std::string name;
  const Fd& parent = parent_of(entry.path, name);
  const Fd file = open_beneath(parent, name, O_WRONLY | O_CREAT | O_EXCL, 0600);
  write_data(bytes, entry, file);
  set_file(entry, file, entry.path);
}

/// A link or a node, which can't be opened: by its name in the open directory, and no link is followed there.
void EntryRestorer::make_other(const ArchiveEntry& entry) {
  std::string name;
  const Fd& parent = parent_of(entry.path, name);
  const bool is_link = S_ISLNK(entry.mode);
  if ((is_link ? ::symlinkat(entry.link.c_str(), parent.get(), name.c_str())
               : ::mknodat(parent.get(), name.c_str(), entry.mode, entry.device)) != 0) {
    throw Error::from_errno("making", entry.path);
  }
  if ((entry.uid != 0 || entry.gid != 0) &&
      ::fchownat(parent.get(), name.c_str(), entry.uid, entry.gid, AT_SYMLINK_NOFOLLOW) != 0) {
    throw Error::from_errno("giving away", entry.path);
  }
  if (!is_link && ::fchmodat(parent.get(), name.c_str(), entry.mode & 07777U, 0) != 0) {
    throw Error::from_errno("setting the mode of", entry.path);
  }
  const std::string path = cat("/proc/self/fd/", parent.get(), "/", name);  // there is no setxattrat()
  for (const auto& [attribute, value] : entry.attributes) {
    if (::lsetxattr(path.c_str(), attribute.c_str(), value.data(), value.size(), 0) != 0) {
      throw Error::from_errno(cat("setting the attribute ", attribute, " of"), entry.path);
    }
  }
  if (::utimensat(parent.get(), name.c_str(), times_of(entry).data(), AT_SYMLINK_NOFOLLOW) != 0) {
    throw Error::from_errno("setting the time of", entry.path);
  }
}

ArchiveEntry EntryRestorer::restore(wire::Reader& bytes, EntryKind kind) {
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
  if (entry.kind() != kind) {
    throw Error(ErrorKind::input, cat("the layer archive holds '", entry.path, "' where its kind must not stand"));
  }
  if (kind == EntryKind::hard_link) {
    make_link(entry);
  } else if (kind == EntryKind::directory) {
    make_directory(entry);
  } else if (entry.is_regular()) {
    make_file(entry, bytes);
  } else {
    make_other(entry);
  }
  return entry;
}

void EntryRestorer::finish_directory(const ArchiveEntry& entry) {
  const Fd directory = open_beneath(root_, entry.path.empty() ? "." : entry.path, O_RDONLY | O_DIRECTORY);
  if (::futimens(directory.get(), times_of(entry).data()) != 0) {
    throw Error::from_errno("setting the time of", entry.path);
  }
}

std::vector<ArchiveEntry> scan_tree(const fs::path& root) { return Scan(root).run(); }

}  // namespace hearth::builder
