// The store of layers: small records, each beside others that could follow the same layer, and the blobs that they
// name. Nothing in it is trusted before it is checked: a record that can't be read, or whose blob is gone or damaged,
// is a miss. Everything appears by rename, so that a build that dies leaves no wrong hit.
#pragma once

#include <functional>
#include <string>
#include <vector>

#include "builder/layers/layer_record.hpp"
#include "builder/store/blob_store.hpp"

namespace hearth::builder {

class LayerStore {
 public:
  explicit LayerStore(fs::path directory) : directory_(std::move(directory)), blobs_(directory_ / "blobs") {}

  /// Records under a lookup key whose blob is there, the newest first.
  [[nodiscard]] std::vector<LayerRecord> find(const std::string& key) const;
  /// Keeps a record; its blob must be there already.
  void put(const std::string& key, const LayerRecord& record) const;
  [[nodiscard]] const BlobStore& blobs() const { return blobs_; }
  [[nodiscard]] const fs::path& directory() const { return directory_; }

  /// For facts about secrets; made by whoever asks first. It is neither exported nor sent to a remote cache.
  [[nodiscard]] FactKey fact_key() const;

  /// All records, whole ones only, with their files. There may be a million: visit() holds one at a time.
  [[nodiscard]] std::vector<std::pair<fs::path, LayerRecord>> records() const;
  void visit(const std::function<void(const fs::path& file, LayerRecord record)>& visitor) const;

  /// Removes blobs as BlobStore::prune() does, then records without a blob.
  std::vector<std::string> prune(std::uint64_t limit, std::int64_t used_before = 0) const;

  /// Digests of damaged blobs, which are removed with the records that name them.
  std::vector<std::string> verify(const std::function<void(const std::string&)>& on_blob) const;

 private:
  void drop_orphans() const;
  fs::path directory_;
  BlobStore blobs_;
};

/// Where the store of an image cache is.
[[nodiscard]] inline fs::path layer_directory(const fs::path& image_cache) { return image_cache / "layers"; }

}  // namespace hearth::builder
