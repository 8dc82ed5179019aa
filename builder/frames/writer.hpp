// A raw disk as a frames file (base/frames): one pass, on all processors, the same bytes for any number of them.
#pragma once

#include <string>

#include "base/frames/frame_map.hpp"
#include "base/sys/fd.hpp"

namespace hearth::builder::frames {

struct PublishOptions {
  std::uint32_t block_size = 0;  ///< 0: as it fits the disk
  int level = 6;                 ///< of zstd
  unsigned threads = 0;          ///< 0: as many as this process may use
  std::string key_pem;           ///< signs the root; empty: not signed
};

struct Published {
  std::string root;
  std::uint64_t disk_size = 0;  ///< bytes
  std::uint64_t file_size = 0;
  std::uint32_t frames = 0;
};

/// Writes the disk that `raw` holds into `out`, an empty file; `spool`, another empty file, is used meanwhile. Throws
/// Error.
Published write_frames(const Fd& raw, const Fd& spool, const Fd& out, const PublishOptions& options);

}  // namespace hearth::builder::frames
