#include "builder/fetch/object_store.hpp"

#include <fcntl.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/error.hpp"
#include "base/text.hpp"

namespace hearth::builder::fetch {

BlobStore objects_in(const fs::path& directory) { return BlobStore(directory / "objects", BlobCare::checked); }

ObjectStore::ObjectStore(fs::path directory) : directory_(std::move(directory)), blobs_(objects_in(directory_)) {
  fs::create_directories(directory_ / "objects");
  if (::access((directory_ / "objects").c_str(), W_OK) != 0) {
    throw Error::from_errno("writing to", (directory_ / "objects").string());
  }
}

std::optional<Fd> ObjectStore::open(const std::string& sha256, std::uint64_t size) {
  const fs::path name = blobs_.path(sha256);
  if (!fs::exists(name)) return std::nullopt;
  Fd opened = Fd::open(name.string(), O_RDONLY);
  if (is_sound(opened, sha256, size)) {
    ::futimens(opened.get(), nullptr);  // the time of its last use; another user's object keeps its own
    return opened;
  }
  blobs_.remove(sha256);
  return std::nullopt;
}

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
