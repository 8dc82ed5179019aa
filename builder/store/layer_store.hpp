// The store of layers: small records, each beside others that could follow the same layer, and the blobs that they
// name. Nothing in it is trusted before it is checked: a record that can't be read, or whose blob is gone or damaged,
// is a miss. Everything appears by rename, so that a build that dies leaves no wrong hit.
#pragma once

#include <functional>
#include <optional>
#include <set>
#include <string>
#include <vector>

#include "builder/blobs/blob_store.hpp"
#include "builder/layers/layer_record.hpp"

namespace hearth::builder {

/// What lists say of a record.
struct LayerGlance {
  std::string blob;
  std::string first_step;
  std::string last_step;
};

/// Found in its text, without reading it as a whole, which takes ten times as long; nothing in a text that is no
/// record.
[[nodiscard]] std::optional<LayerGlance> glance_at(const std::string& record);

/// Layers of an image that pruning leaves.
struct Pin {
  fs::path image;                   ///< output stem, absolute
  std::vector<std::string> layers;  ///< digests
};

class LayerStore {
 public:
  explicit LayerStore(fs::path directory) : directory_(std::move(directory)), blobs_(directory_ / "blobs") {}

  /// Records under a lookup key whose blob is there, the newest first.
  [[nodiscard]] std::vector<LayerRecord> find(const std::string& key) const;
  /// Keeps a record; its blob must be there already.
  void put(const std::string& key, const LayerRecord& record) const;
  [[nodiscard]] const BlobStore& blobs() const { return blobs_; }
  [[nodiscard]] const fs::path& directory() const { return directory_; }

  /// For facts about secrets; made by whoever asks first. It is neither exported nor sent to a remote cache. Of several
  /// users of a store each has its own: what saw a secret they don't share.
  [[nodiscard]] FactKey fact_key() const;

  /// All records, whole ones only, with their files.
  [[nodiscard]] std::vector<std::pair<fs::path, LayerRecord>> records() const;
  /// The texts of all records, one at a time: there may be a million.
  void visit(const std::function<void(const fs::path& file, const std::string& record)>& visitor) const;

  /// From now on pruning leaves these layers of the image, in place of those that were pinned of it before.
  void pin(const Pin& pin) const;
  /// Whether there was a pin.
  bool unpin(const fs::path& image) const;
  [[nodiscard]] bool is_pinned(const fs::path& image) const;
  /// Throws Error(input) for one that can't be read: nobody knows then what may be pruned.
  [[nodiscard]] std::vector<Pin> pins() const;
  [[nodiscard]] std::set<std::string> pinned_layers() const;

  /// Removes blobs as BlobStore::prune() does, but none that is pinned; then records without a blob.
  std::vector<std::string> prune(std::uint64_t limit, std::int64_t used_before = 0) const;

  /// Digests of damaged blobs, which are removed with the records that name them.
  std::vector<std::string> verify(const std::function<void(const std::string&)>& on_blob) const;

 private:
  void drop_orphans() const;
  [[nodiscard]] fs::path pin_file(const fs::path& image) const;
  fs::path directory_;
  BlobStore blobs_;
};

/// Where the store of an image cache is.
[[nodiscard]] inline fs::path layer_directory(const fs::path& image_cache) { return image_cache / "layers"; }

}  // namespace hearth::builder
