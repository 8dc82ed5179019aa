// From an image's description to a disk that holds it: fetched, hashed, decompressed and written at the same time,
// verified before the disk can be booted.
#pragma once

#include <atomic>
#include <functional>
#include <string>

#include "agent/deploy/image/decoders.hpp"
#include "agent/deploy/image/image_info.hpp"
#include "base/clock.hpp"
#include "base/net/dialer.hpp"
#include "base/net/http.hpp"

namespace hearth::agent::deploy {

/// How far it is; read by other threads.
struct WriteProgress {
  std::atomic<std::uint64_t> fetched{0};   ///< bytes of the file
  std::atomic<std::uint64_t> to_fetch{0};  ///< 0 = not known
  std::atomic<std::uint64_t> written{0};   ///< bytes of the disk
};

/// What the writer needs of the world.
struct WriterWorld {
  HttpClient& http;  ///< for lists of checksums
  Dialer& dialer;
  Clock& clock;
  std::string trusted_key;  ///< hexadecimal; when set, only images signed with it are taken
  std::function<void(const std::string&)> say;
};

struct WrittenImage {
  std::string url;
  ImageFormat format = ImageFormat::raw;
  std::uint64_t disk_size = 0;  ///< of the image
};

/// Throws Error: input when the image is not what it should be or does not fit, io when its servers can't be reached or
/// the disk fails. The disk then has no partition table.
WrittenImage write_image(const ImageInfo& image, const std::string& disk, WriterWorld& world, WriteProgress& progress);

/// Whether these first bytes of a disk hold a partition table.
[[nodiscard]] bool has_partition_table(std::string_view front);
/// The size of the sectors that the table counts: 512 or 4096, a table of the old kind by what fits into the image; 0
/// when that can't be told.
[[nodiscard]] std::uint32_t sector_of_table(std::string_view front, std::uint64_t image_size);

}  // namespace hearth::agent::deploy
