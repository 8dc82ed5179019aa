// From an image's description to a disk that holds it: fetched, hashed, decompressed and written at the same time,
// verified before the disk can be booted.
//
// Whom is trusted: the conductor's order, which names the digest or the root, and where the site has a key, the
// signature over that. The server of the image is not trusted, nor what lies between. A checksum covers the file as it
// was fetched, so the bytes are on the disk before it is known to be right. The root of a frames file is checked first,
// and then each frame before it is decompressed.
//
// What must hold: the first mebibyte of the disk, with its boot sector and partition table, is taken off first and
// written last, when the digest, the signature, the table and its sector size have been checked and all else is durable
// (DiskTarget::commit). So whatever fails or loses power before, the machine boots nothing rather than half an image.
// Every byte is written once. An image that was ordered as raw is never read as qcow2: that could name files of this
// machine.
//
// Order of threads: one fetches, one hashes beside it, a pool decompresses and writes. A server without ranges gets its
// qcow2 through memory (Spool), as qcow2 is not read from front to back.
#pragma once

#include <atomic>
#include <functional>
#include <string>

#include "agent/deploy/image/decoders.hpp"
#include "agent/deploy/image/gathering.hpp"
#include "agent/deploy/image/image_info.hpp"
#include "base/clock.hpp"
#include "base/net/dialer.hpp"
#include "base/net/http.hpp"

namespace hearth::agent::deploy {

/// How far it is; read by other threads.
struct WriteProgress {
  std::atomic<std::uint64_t> fetched{0};     ///< bytes of the file
  std::atomic<std::uint64_t> to_fetch{0};    ///< 0 = not known
  std::atomic<std::uint64_t> from_peers{0};  ///< of what was fetched: given by other machines
  std::atomic<std::uint64_t> written{0};     ///< bytes of the disk
};

/// What the writer needs of the world.
struct WriterWorld {
  HttpClient& http;  ///< for lists of checksums
  Dialer& dialer;
  Clock& clock;
  std::string trusted_key;  ///< hexadecimal; when set, only images signed with it are taken
  std::function<void(const std::string&)> say;
  Spread* spread = nullptr;  ///< frames are asked of other machines, and left there for them; null: neither
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
