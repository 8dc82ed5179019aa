// A layer as one file: LZ4 frames of a few megabytes, each with its own checksum, so that packing and unpacking use
// all processors and a flipped bit is noticed while unpacking. Directories come first, then files, then hard links.
//
//   magic, frames…, index frame (offset and packed size of each), index offset, index size, magic
#pragma once

#include <cstdint>
#include <functional>
#include <string_view>

#include "base/clock.hpp"
#include "base/path.hpp"

namespace hearth::builder {

/// What happened while packing.
struct PackReport {
  std::uint64_t entries = 0;
  std::uint64_t packed_bytes = 0;
  Duration processor_time{};  ///< of all threads
};

/// Packs everything below `root`; the bytes go to `sink` in order, from one thread at a time. Equal trees give equal
/// bytes. Throws what the sink throws.
PackReport pack_tree(const fs::path& root, const std::function<void(std::string_view)>& sink);

/// Unpacks into the existing directory `root`. Throws Error(input) when the archive is damaged; what was made until
/// then stays and is the caller's to remove.
void unpack_tree(std::string_view archive, const fs::path& root);

}  // namespace hearth::builder
