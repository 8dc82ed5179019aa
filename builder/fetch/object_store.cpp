#include "builder/fetch/object_store.hpp"

#include <fcntl.h>
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
  const std::string sha256 = object.hasher_.hex_digest();
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
  if (is_sound(opened, sha256, size)) return opened;
  ::unlink(name.c_str());
  return std::nullopt;
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
