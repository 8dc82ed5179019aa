// From the bytes of an image's file to jobs that write the disk: one function for each format, and for frames what is
// done with each, wherever it comes from.
#pragma once

#include <functional>
#include <string>

#include "agent/deploy/disk/disk_target.hpp"
#include "agent/deploy/image/fetcher.hpp"
#include "agent/deploy/image/write_pool.hpp"
#include "agent/deploy/spread/shelf.hpp"
#include "base/error.hpp"
#include "base/frames/frame_map.hpp"
#include "base/sys/limits.hpp"

namespace hearth::agent::deploy {

/// What is written to, and how far that is.
struct Writing {
  DiskTarget& disk;
  WritePool& pool;
  std::atomic<std::uint64_t>& written;          ///< bytes of the disk that are as they shall be
  std::string name;                             ///< of the image, for errors
  Shelf* shelf = nullptr;                       ///< where verified frames are left for others; null: nowhere
  std::uint64_t room = available_memory() / 3;  ///< bytes of the shelf; what is on it may wait for the disk, too
};

/// What a decoder works with.
struct Decoding : Writing {
  ByteSource& source;  ///< for pieces out of order
  Window& window;      ///< from the front of the file on
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

/// An image of frames on its way to the disk.
struct FrameWriting {
  Writing& to;
  frames::Head head;
  std::vector<frames::Frame> map;
};
using FrameWritingPtr = std::shared_ptr<const FrameWriting>;  // the pool's jobs refer to it

/// The front of the file: head and map (and signature), held for trustworthy. `take` gives its next bytes. The disk is
/// begun.
[[nodiscard]] FrameWritingPtr begin_frames(Writing& to, const RootCheck& check,
                                           const std::function<std::string(std::size_t)>& take);
[[nodiscard]] bool is_frame(const frames::Frame& frame, std::string_view stored);
[[nodiscard]] Error wrong_frame(const Writing& to, const frames::Frame& frame);
/// Has a frame's block written, and the blocks before it that have none made zero; a frame that was not `checked`
/// is, before, and left on the shelf. `frame` is its number in the map.
void add_frame(const FrameWritingPtr& writing, std::size_t frame, const Block& stored, bool checked);
/// What is zero behind the last one.
void end_frames(const FrameWritingPtr& writing);

}  // namespace hearth::agent::deploy
