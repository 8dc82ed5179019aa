// The bodies of fetched answers: blobs (builder/blobs) in DIR/objects. What is read is looked at, once per object and
// ObjectStore: after a power cut, or an accident, a wrong object is a missing one. A build relies on objects that it
// does not hold open, so it shares the whole store, and pruning waits until nobody does.
#pragma once

#include <cstdint>
#include <mutex>
#include <optional>
#include <set>
#include <string>

#include "builder/blobs/blob_store.hpp"

namespace hearth::builder::fetch {

/// Where those of a store in `directory` are.
[[nodiscard]] BlobStore objects_in(const fs::path& directory);

class ObjectStore {
 public:
  /// Creates the directory. Throws Error when it can't be written to.
  explicit ObjectStore(fs::path directory);

  [[nodiscard]] const BlobStore& blobs() const { return blobs_; }
  /// An object open for reading; nothing when there is none, or when it isn't what its name says (it is then removed).
  [[nodiscard]] std::optional<Fd> open(const std::string& sha256, std::uint64_t size);
  /// For a build: as long as it holds what it gets here, nobody can claim the store. Waits for whoever has.
  [[nodiscard]] Fd share() const;
  /// Keeps builds from beginning to use the store; nothing while one does.
  [[nodiscard]] std::optional<Fd> claim() const;
  [[nodiscard]] const fs::path& directory() const { return directory_; }

 private:
  [[nodiscard]] Fd use_file() const;
  [[nodiscard]] bool is_sound(const Fd& file, const std::string& sha256, std::uint64_t size);

  fs::path directory_;
  BlobStore blobs_;
  std::mutex mutex_;
  std::set<std::string> verified_;
};

}  // namespace hearth::builder::fetch
