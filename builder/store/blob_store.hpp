// Blobs under their SHA-256 in one directory: written complete and synced or not at all, shared by any number of
// builds. A blob in use is pinned by a shared lock on it; pruning takes away what was used longest ago and nobody
// holds.
#pragma once

#include <array>
#include <cstdint>
#include <optional>
#include <set>
#include <string>
#include <string_view>
#include <vector>

#include "base/hash.hpp"
#include "base/sys/file.hpp"

namespace hearth::builder {

/// A blob's bytes, mapped; pinned while the object lives.
class Blob {
 public:
  Blob(Fd fd, std::uint64_t size);
  Blob(Blob&& other) noexcept;
  Blob& operator=(Blob&&) = delete;
  ~Blob();
  [[nodiscard]] std::string_view bytes() const { return {data_, size_}; }

 private:
  Fd fd_;
  const char* data_ = nullptr;
  std::size_t size_ = 0;
};

/// Small: there may be a million.
struct BlobInfo {
  std::array<char, 32> sha256{};
  std::uint64_t bytes = 0;
  std::int64_t last_used =
      0;  ///< seconds since the epoch; of a blob of another user, as fine as the file system's atime
  [[nodiscard]] std::string digest() const;
};

/// Makes the directory where it is missing, as open as the one that it lies in, whatever the umask: in a build that is
/// the image's, and several users may share a store.
void make_store_directory(const fs::path& directory);

class BlobStore {
 public:
  explicit BlobStore(fs::path directory) : directory_(std::move(directory)) {}

  /// A blob being written. It has no name until commit().
  class Writer {
   public:
    void write(std::string_view bytes);
    /// Syncs it and gives it its name; returns the digest.
    std::string commit();
    /// The same, if the bytes are those of `digest`; else nothing is kept, and the answer is false.
    [[nodiscard]] bool commit_as(const std::string& digest);

   private:
    friend class BlobStore;
    Writer(fs::path directory, fs::path pending, AtomicFile file)
        : directory_(std::move(directory)), pending_(std::move(pending)), file_(std::move(file)) {}
    void name(const std::string& digest);
    fs::path directory_;
    fs::path pending_;  ///< its name for a moment, until it has that of its digest
    AtomicFile file_;
    Hasher hasher_{HashKind::sha256};
  };

  /// Throws when the directory can't be written.
  [[nodiscard]] Writer begin() const;
  /// Opens and pins it, and notes that it was used. Nothing when it is not there.
  [[nodiscard]] std::optional<Blob> open(const std::string& digest) const;
  [[nodiscard]] bool has(const std::string& digest) const;
  /// Whether the bytes are those of the name.
  [[nodiscard]] bool verify(const std::string& digest) const;
  /// Takes it away, whoever reads it: they keep what they opened.
  void remove(const std::string& digest) const;
  /// Those used longest ago first.
  [[nodiscard]] std::vector<BlobInfo> list() const;
  /// Removes blobs that nobody holds and `spared` does not name, those used longest ago first, until at most `limit`
  /// bytes are left, and none that was used before `used_before` (seconds since the epoch); returns their digests.
  std::vector<std::string> prune(std::uint64_t limit, std::int64_t used_before = 0,
                                 const std::set<std::string>& spared = {}) const;
  [[nodiscard]] fs::path path(const std::string& digest) const { return directory_ / digest; }

 private:
  fs::path directory_;
};

/// 64 digits, lower-case hexadecimal: what may be a name of a blob.
[[nodiscard]] bool is_digest(std::string_view text);

}  // namespace hearth::builder
