// What an earlier image holds in compressed form: most clusters of a rebuilt disk are those of the last build, and need
// not be compressed again. The index is a file beside the image; the bytes themselves are only in that image. Both are
// checked with GMAC (NIST SP 800-38D) under a random key that the index keeps to its owner: whoever can't read the
// index can't make two clusters of one mark, and by chance that happens once in 2^110 times. An image that was written
// to since, another one under the same name, an index of another codec: what doesn't match is compressed anew, so that
// the new image is, byte for byte, the one that would have been made without.
#pragma once

#include <array>
#include <cstdint>
#include <memory>
#include <span>
#include <string>
#include <vector>

#include "base/path.hpp"
#include "base/sys/fd.hpp"
#include "builder/qcow2/cluster_codec.hpp"

namespace hearth::builder::qcow2 {

using Mark = std::array<std::uint8_t, 16>;
using MarkKey = std::array<std::uint8_t, 16>;

/// Computes marks; one for each thread.
class Marker {
 public:
  explicit Marker(const MarkKey& key);
  Marker(const Marker&) = delete;
  Marker& operator=(const Marker&) = delete;
  ~Marker();
  [[nodiscard]] Mark of(std::span<const std::uint8_t> bytes);

 private:
  struct Context;
  std::unique_ptr<Context> context_;
};

/// A cluster and where an image holds it.
struct KnownCluster {
  Mark cluster{};            ///< of its data
  Mark packed{};             ///< of its compressed form; not used when length is 0
  std::uint64_t offset = 0;  ///< in the image
  std::uint32_t length = 0;  ///< 0: it can't be made smaller
};

class KnownClusters {
 public:
  /// What the index says of the image; knows nothing when either is missing, damaged or of another codec. Never throws
  /// for such reasons.
  [[nodiscard]] static KnownClusters load(const fs::path& index, const fs::path& image, Compression compression);

  /// The key for marks, also of what is going to be recorded: the index's, or a new one.
  [[nodiscard]] const MarkKey& key() const { return key_; }
  /// Nothing when the cluster is not known. Its compressed form, when it has one, is in `room` then, checked.
  [[nodiscard]] const KnownCluster* find(const Mark& cluster, std::span<std::uint8_t> room, Marker& marker) const;

 private:
  MarkKey key_{};
  std::vector<KnownCluster> clusters_;  ///< by mark
  Fd image_;
};

/// Writes the index, for its owner's eyes only.
void save_index(const fs::path& index, Compression compression, const MarkKey& key, std::vector<KnownCluster> clusters);

}  // namespace hearth::builder::qcow2
