#include "builder/blobs/blob_store.hpp"

#include <fcntl.h>
#include <sys/file.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <tuple>

#include "base/check.hpp"
#include "base/error.hpp"
#include "base/hex.hpp"
#include "base/sys/random.hpp"
#include "base/text.hpp"

namespace hearth::builder {

namespace {

constexpr std::size_t k_sha256_digits = 64;
constexpr const char* k_pending = ".pending-";
constexpr int k_random_bytes = 8;
constexpr std::size_t k_piece = std::size_t{256} << 10U;

std::optional<Fd> open_existing(const fs::path& path) {
  try {
    return Fd::open(path.string(), O_RDONLY | O_NOFOLLOW);
  } catch (const Error& error) {
    if (error.system_error() == ENOENT) return std::nullopt;
    throw;
  }
}

/// Whether the lock could be had without waiting.
bool lock(const Fd& fd, int kind) { return ::flock(fd.get(), kind | LOCK_NB) == 0; }

void add_blobs(const fs::path& directory, std::vector<BlobInfo>& blobs) {
  boost::system::error_code none;
  for (const fs::directory_entry& entry : fs::directory_iterator(directory, none)) {
    const std::string name = entry.path().filename().string();
    struct stat status {};
    if (!is_digest(name) || ::lstat(entry.path().c_str(), &status) != 0 || !S_ISREG(status.st_mode)) continue;
    BlobInfo& blob = blobs.emplace_back();
    from_hex(name).copy(blob.sha256.data(), blob.sha256.size());
    blob.bytes = static_cast<std::uint64_t>(status.st_size);
    blob.last_used = std::max(status.st_mtim.tv_sec, status.st_atim.tv_sec);
  }
}

}  // namespace

Blob::Blob(Fd fd, std::uint64_t size) : fd_(std::move(fd)), size_(size) {
  if (size_ == 0) return;
  void* const data = ::mmap(nullptr, size_, PROT_READ, MAP_PRIVATE | MAP_POPULATE, fd_.get(), 0);
  if (data == MAP_FAILED) throw Error::from_errno("mapping", "a cached layer");
  data_ = static_cast<const char*>(data);
}

Blob::Blob(Blob&& other) noexcept
    : fd_(std::move(other.fd_)), data_(std::exchange(other.data_, nullptr)), size_(std::exchange(other.size_, 0)) {}

Blob::~Blob() {
  if (data_ != nullptr) ::munmap(const_cast<char*>(data_), size_);
}

bool is_digest(std::string_view text) { return is_hex(text, k_sha256_digits); }

void make_store_directory(const fs::path& directory) {
  const fs::path above = directory.parent_path();
  if (fs::is_directory(directory)) return;
  RealFileSystem().make_directories(above, 0777);
  if (::mkdir(directory.c_str(), 0777) != 0) {
    if (errno == EEXIST) return;  // another build was faster
    throw Error::from_errno("creating the directory", directory.string());
  }
  struct stat outer {};
  struct stat own {};
  if (::stat(above.c_str(), &outer) != 0 || ::stat(directory.c_str(), &own) != 0) return;
  const mode_t open = (own.st_mode & ~mode_t{ACCESSPERMS} & mode_t{ALLPERMS}) | (outer.st_mode & mode_t{ACCESSPERMS});
  if ((own.st_mode & mode_t{ALLPERMS}) != open) ::chmod(directory.c_str(), open);
}

void BlobStore::Writer::write(std::string_view bytes) {
  hasher_.update(bytes);
  size_ += bytes.size();
  write_all(file_.fd(), bytes, directory_.string());
}

std::string BlobStore::Writer::text() const {
  std::string text(size_, '\0');
  for (std::size_t at = 0; at < text.size();) {
    const ssize_t got = ::pread(file_.fd().get(), text.data() + at, text.size() - at, static_cast<off_t>(at));
    if (got < 0 && errno == EINTR) continue;
    if (got <= 0) throw Error::from_errno("reading", pending_.string());
    at += static_cast<std::size_t>(got);
  }
  return text;
}

void BlobStore::Writer::name(const std::string& digest) {
  const fs::path name = path_in(directory_, care_, digest);
  if (care_ == BlobCare::checked) make_store_directory(name.parent_path());
  if (care_ == BlobCare::synced) {
    file_.commit();
  } else {
    file_.take_name();
  }
  if (::rename(pending_.c_str(), name.c_str()) == 0) return;
  const int error = errno;
  ::unlink(pending_.c_str());
  throw Error::from_errno("renaming to", name.string(), error);
}

std::string BlobStore::Writer::commit() {
  std::string digest = hasher_.hex_digest();
  name(digest);
  return digest;
}

bool BlobStore::Writer::commit_as(const std::string& digest) {
  if (hasher_.hex_digest() != digest) return false;
  name(digest);
  return true;
}

BlobStore::Writer BlobStore::begin() const {
  make_store_directory(directory_);
  const fs::path pending = directory_ / cat(k_pending, random_hex(k_random_bytes));
  return {*this, pending, AtomicFile::create(pending, 0644)};
}

std::optional<Blob> BlobStore::open(const std::string& digest) const {
  std::optional<Fd> fd = open_existing(path(digest));
  struct stat status {};
  if (!fd || !lock(*fd, LOCK_SH) || ::fstat(fd->get(), &status) != 0) return std::nullopt;  // being pruned
  ::futimens(fd->get(), nullptr);  // the time of its last use; of another user's blob that of its reading tells
  return Blob(std::move(*fd), static_cast<std::uint64_t>(status.st_size));
}

bool BlobStore::has(const std::string& digest) const { return ::access(path(digest).c_str(), R_OK) == 0; }

bool BlobStore::has(const std::string& digest, std::uint64_t size) const {
  struct stat status {};
  return ::stat(path(digest).c_str(), &status) == 0 && static_cast<std::uint64_t>(status.st_size) == size;
}

bool BlobStore::verify(const std::string& digest) const {
  const std::optional<Fd> fd = open_existing(path(digest));
  struct stat status {};
  if (!fd || !lock(*fd, LOCK_SH) || ::fstat(fd->get(), &status) != 0) return false;
  const bool is_sound = has_digest(*fd, digest);
  const std::array<timespec, 2> times = {status.st_atim, status.st_mtim};
  ::futimens(fd->get(), times.data());
  return is_sound;
}

std::vector<std::string> BlobStore::remove_damaged(const std::function<void(const std::string&)>& on_blob) const {
  std::vector<std::string> damaged;
  for (const BlobInfo& blob : list()) {
    const std::string digest = blob.digest();
    if (on_blob) on_blob(digest);
    if (verify(digest)) continue;
    remove(digest);
    damaged.push_back(digest);
  }
  return damaged;
}

fs::path BlobStore::path_in(const fs::path& directory, BlobCare care, const std::string& digest) {
  return care == BlobCare::synced ? directory / digest : directory / digest.substr(0, 2) / digest;
}

void BlobStore::remove(const std::string& digest) const { ::unlink(path(digest).c_str()); }

std::string BlobInfo::digest() const { return to_hex({sha256.data(), sha256.size()}); }

std::vector<BlobInfo> BlobStore::list() const {
  std::vector<BlobInfo> blobs;
  if (care_ == BlobCare::synced) {
    add_blobs(directory_, blobs);
  } else {
    boost::system::error_code none;
    for (const fs::directory_entry& part : fs::directory_iterator(directory_, none)) add_blobs(part.path(), blobs);
  }
  std::sort(blobs.begin(), blobs.end(), [](const BlobInfo& a, const BlobInfo& b) {
    return std::tie(a.last_used, a.sha256) < std::tie(b.last_used, b.sha256);
  });
  return blobs;
}

std::vector<std::string> BlobStore::prune(std::uint64_t limit, std::int64_t used_before,
                                          const std::set<std::string>& spared) const {
  const std::vector<BlobInfo> blobs = list();
  std::uint64_t total = 0;
  for (const BlobInfo& blob : blobs) total += blob.bytes;
  std::vector<std::string> removed;
  for (const BlobInfo& blob : blobs) {
    if (total <= limit && blob.last_used >= used_before) break;
    std::string digest = blob.digest();
    if (spared.count(digest) > 0) continue;
    const std::optional<Fd> fd = open_existing(path(digest));
    if (fd && !lock(*fd, LOCK_EX)) continue;  // a build holds it
    if (::unlink(path(digest).c_str()) != 0 && errno != ENOENT) continue;
    check(total >= blob.bytes, "what goes was counted", "total", total, "bytes", blob.bytes);
    total -= blob.bytes;
    removed.push_back(std::move(digest));
  }
  return removed;
}

bool has_digest(const Fd& file, const std::string& sha256) {
  Hasher hasher(HashKind::sha256);
  std::string piece(k_piece, '\0');
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

}  // namespace hearth::builder
