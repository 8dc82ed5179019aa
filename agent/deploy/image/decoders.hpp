// From the bytes of an image's file to jobs that write the disk: one function for each format.
#pragma once

#include <functional>
#include <string>

#include "agent/deploy/disk/disk_target.hpp"
#include "agent/deploy/image/fetcher.hpp"
#include "agent/deploy/image/write_pool.hpp"

namespace hearth::agent::deploy {

/// What a decoder works with.
struct Decoding {
  ByteSource& source;  ///< for pieces out of order
  Window& window;      ///< from the front of the file on
  DiskTarget& disk;
  WritePool& pool;
  std::atomic<std::uint64_t>& written;  ///< bytes of the disk that are as they shall be
  std::string name;                     ///< of the image, for errors
};

enum class ImageFormat { raw, gzip, zstd, qcow2, frames };

/// By the first bytes of the file; at least 8 should be given.
[[nodiscard]] ImageFormat format_of(std::string_view front);
[[nodiscard]] std::string_view format_name(ImageFormat format);

/// Whoever holds the image for trustworthy: called before the disk is touched, with the root and the signature (empty
/// when there is none). Throws Error when not.
using RootCheck = std::function<void(const std::string& root, std::string_view signature)>;

/// Each returns the disk's size when it has given all jobs to the pool. Throw Error: input for broken images.
std::uint64_t decode_raw(Decoding& decoding);
std::uint64_t decode_stream(Decoding& decoding, StreamInflater::Kind kind);
std::uint64_t decode_qcow2(Decoding& decoding);
std::uint64_t decode_frames(Decoding& decoding, const RootCheck& check);

}  // namespace hearth::agent::deploy
