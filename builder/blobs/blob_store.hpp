// Blobs under their SHA-256 in one directory, of layers and of what was fetched: written complete or not at all, shared
// by any number of builds. A blob in use is pinned by a shared lock on it; pruning takes away what was used longest ago
// and nobody holds.
#pragma once

#include <array>
#include <cstdint>
#include <functional>
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

enum class BlobCare {
  synced,  ///< DIR/DIGEST, durable before it has its name: who reads it trusts it
  checked  ///< DIR/DI/DIGEST, not synced: after a power cut it may be a wrong one, and who reads it looks at its bytes
};

class BlobStore {
 public:
  explicit BlobStore(fs::path directory, BlobCare care = BlobCare::synced)
      : directory_(std::move(directory)), care_(care) {}

  /// A blob being written. It has no name until commit().
  class Writer {
   public:
    void write(std::string_view bytes);
    [[nodiscard]] std::uint64_t size() const { return size_; }
    /// What was written so far. Throws Error.
    [[nodiscard]] std::string text() const;
    /// Gives it its name, in place of a wrong one that has it; returns the digest.
    std::string commit();
    /// The same, if the bytes are those of `digest`; else nothing is kept, and the answer is false.
    [[nodiscard]] bool commit_as(const std::string& digest);

   private:
    friend class BlobStore;
    Writer(const BlobStore& store, fs::path pending, AtomicFile file)
        : directory_(store.directory_), care_(store.care_), pending_(std::move(pending)), file_(std::move(file)) {}
    void name(const std::string& digest);
    fs::path directory_;
    BlobCare care_;
    fs::path pending_;  ///< its name for a moment, until it has that of its digest
    AtomicFile file_;
    Hasher hasher_{HashKind::sha256};
    std::uint64_t size_ = 0;
  };

  /// Throws when the directory can't be written.
  [[nodiscard]] Writer begin() const;
  /// Opens and pins it, and notes that it was used. Nothing when it is not there.
  [[nodiscard]] std::optional<Blob> open(const std::string& digest) const;
  [[nodiscard]] bool has(const std::string& digest) const;
  /// The same, and of that size.
  [[nodiscard]] bool has(const std::string& digest, std::uint64_t size) const;
  /// Whether the bytes are those of the name; to look is no use of it.
  [[nodiscard]] bool verify(const std::string& digest) const;
  /// Removes those whose bytes are others than their names say; returns their digests.
  std::vector<std::string> remove_damaged(const std::function<void(const std::string&)>& on_blob = {}) const;
  /// Takes it away, whoever reads it: they keep what they opened.
  void remove(const std::string& digest) const;
  /// Those used longest ago first.
  [[nodiscard]] std::vector<BlobInfo> list() const;
  /// Removes blobs that nobody holds and `spared` does not name, those used longest ago first, until at most `limit`
  /// bytes are left, and none that was used before `used_before` (seconds since the epoch); returns their digests.
  std::vector<std::string> prune(std::uint64_t limit, std::int64_t used_before = 0,
                                 const std::set<std::string>& spared = {}) const;
  [[nodiscard]] fs::path path(const std::string& digest) const { return path_in(directory_, care_, digest); }

 private:
  [[nodiscard]] static fs::path path_in(const fs::path& directory, BlobCare care, const std::string& digest);
  fs::path directory_;
  BlobCare care_;
};

/// Whether the file has those bytes; it is read from its beginning. False where it can't be read.
[[nodiscard]] bool has_digest(const Fd& file, const std::string& sha256);

/// 64 digits, lower-case hexadecimal: what may be a name of a blob.
[[nodiscard]] bool is_digest(std::string_view text);

}  // namespace hearth::builder
