#include "builder/fetch/object_store.hpp"

#include <fcntl.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/error.hpp"
#include "base/text.hpp"

namespace hearth::builder::fetch {

namespace {

constexpr std::size_t k_object_piece = std::size_t{256} << 10U;

bool has_digest(const Fd& file, const std::string& sha256) {
  Hasher hasher(HashKind::sha256);
  std::string piece(k_object_piece, '\0');
  off_t at = 0;
  while (true) {
    const ssize_t got = ::pread(file.get(), piece.data(), piece.size(), at);
    if (got < 0 && errno == EINTR) continue;
    if (got < 0) return false;
    if (got == 0) return hasher.hex_digest() == sha256;
    hasher.update({piece.data(), static_cast<std::size_t>(got)});
    at += got;
  }
}

}  // namespace

void IncomingObject::write(std::string_view bytes) {
  write_all(file_, bytes, name_.string());
  hasher_.update(bytes);
  size_ += bytes.size();
}

std::string IncomingObject::text() const {
  std::string text(size_, '\0');
  for (std::size_t at = 0; at < text.size();) {
    const ssize_t got = ::pread(file_.get(), text.data() + at, text.size() - at, static_cast<off_t>(at));
    if (got < 0 && errno == EINTR) continue;
    if (got <= 0) throw Error::from_errno("reading", name_.string());
    at += static_cast<std::size_t>(got);
  }
  return text;
}

ObjectStore::ObjectStore(fs::path directory) : directory_(std::move(directory)) {
  fs::create_directories(directory_ / "objects");
  if (::access((directory_ / "objects").c_str(), W_OK) != 0) {
    throw Error::from_errno("writing to", (directory_ / "objects").string());
  }
}

fs::path ObjectStore::path_of(const std::string& sha256) const {
  return directory_ / "objects" / sha256.substr(0, 2) / sha256;
}

IncomingObject ObjectStore::create() const {
  const fs::path parent = directory_ / "objects";
  return {Fd::open(parent.string(), O_TMPFILE | O_RDWR, 0644), parent};
}

std::string ObjectStore::keep(IncomingObject object) {
  std::string sha256 = object.hasher_.hex_digest();
  const fs::path name = path_of(sha256);
  fs::create_directories(name.parent_path());
  const std::string source = cat("/proc/self/fd/", object.file_.get());
  const auto link = [&] { return ::linkat(AT_FDCWD, source.c_str(), AT_FDCWD, name.c_str(), AT_SYMLINK_FOLLOW) == 0; };
  if (link()) return sha256;
  if (errno == EEXIST && open(sha256, object.size_)) return sha256;  // open() takes a wrong one away
  if (!link() && errno != EEXIST) throw Error::from_errno("keeping", name.string());
  return sha256;
}

std::optional<Fd> ObjectStore::open(const std::string& sha256, std::uint64_t size) {
  const fs::path name = path_of(sha256);
  if (!fs::exists(name)) return std::nullopt;
  Fd opened = Fd::open(name.string(), O_RDONLY);
  if (is_sound(opened, sha256, size)) {
    ::futimens(opened.get(), nullptr);  // the time of its last use; another user's object keeps its own
    return opened;
  }
  ::unlink(name.c_str());
  return std::nullopt;
}

bool ObjectStore::has(const std::string& sha256, std::uint64_t size) const {
  struct stat status {};
  return ::stat(path_of(sha256).c_str(), &status) == 0 && static_cast<std::uint64_t>(status.st_size) == size;
}

bool ObjectStore::verify(const std::string& sha256, std::uint64_t size) const {
  const Fd file = Fd::open(path_of(sha256).string(), O_RDONLY | O_NOFOLLOW);
  struct stat status {};
  const bool has_size = ::fstat(file.get(), &status) == 0 && static_cast<std::uint64_t>(status.st_size) == size;
  if (has_size && has_digest(file, sha256)) return true;
  remove(sha256);
  return false;
}

void ObjectStore::remove(const std::string& sha256) const { ::unlink(path_of(sha256).c_str()); }

/// Readable by all who share the store.
Fd ObjectStore::use_file() const { return Fd::open((directory_ / ".in-use").string(), O_RDONLY | O_CREAT, 0644); }

Fd ObjectStore::share() const {
  Fd file = use_file();
  while (::flock(file.get(), LOCK_SH) != 0) {
    if (errno != EINTR) throw Error::from_errno("locking", (directory_ / ".in-use").string());
  }
  return file;
}

std::optional<Fd> ObjectStore::claim() const {
  Fd file = use_file();
  if (::flock(file.get(), LOCK_EX | LOCK_NB) != 0) return std::nullopt;
  return file;
}

bool ObjectStore::is_sound(const Fd& file, const std::string& sha256, std::uint64_t size) {
  struct stat status {};
  if (::fstat(file.get(), &status) != 0 || static_cast<std::uint64_t>(status.st_size) != size) return false;
  {
    const std::scoped_lock lock(mutex_);
    if (verified_.count(sha256) > 0) return true;
  }
  if (!has_digest(file, sha256)) return false;
  const std::scoped_lock lock(mutex_);
  verified_.insert(sha256);
  return true;
}

}  // namespace hearth::builder::fetch
