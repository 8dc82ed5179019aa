#include "agent/deploy/image/decoders.hpp"
#include "base/check.hpp"
#include "base/error.hpp"
#include "base/frames/frame_map.hpp"
#include "base/text.hpp"

namespace hearth::agent::deploy {

namespace {

/// Checks a frame, decompresses and writes it. Runs in the pool.
void write_frame(Decoding& decoding, const frames::Head& head, const frames::Frame& frame, const Buffer& stored,
                 Workbench& bench) {
  if (frames::hash_of(stored.text()) != frame.hash) {
    throw Error(ErrorKind::input,
                cat(decoding.name, ": block ", frame.block, " is not what the image's map says: its hash differs"))
        .hint("The file is damaged or was exchanged: publish the image again.");
  }
  const std::uint32_t size = head.bytes_of(frame.block);
  const std::uint64_t offset = std::uint64_t{frame.block} * head.block_size;
  if (frame.stored == size) {
    write_data(decoding.disk, offset, stored.text());
  } else {
    const std::span<char> out = bench.out.room().first(size);
    if (!bench.zstd.inflate(stored.text(), out)) {
      throw Error(ErrorKind::input,
                  cat(decoding.name, ": block ", frame.block, " is no zstd frame of ", size, " bytes"));
    }
    write_data(decoding.disk, offset, {out.data(), out.size()});
  }
  decoding.written += size;
}

/// Has the blocks from `from` up to `to` made zero.
void add_zeros(Decoding& decoding, const frames::Head& head, std::uint64_t from, std::uint64_t to) {
  const std::uint64_t begin = from * head.block_size;
  const std::uint64_t end = std::min(to * head.block_size, head.disk_size);
  if (begin >= end) return;
  decoding.pool.add([&decoding, begin, end](Workbench&) {
    decoding.disk.zero(begin, end - begin);
    decoding.written += end - begin;
  });
}

}  // namespace

std::uint64_t decode_frames(Decoding& decoding, const RootCheck& check) {
  const auto head_bytes = decoding.window.take(frames::k_head_bytes);
  const auto head =
      std::make_shared<const frames::Head>(frames::parse_head(head_bytes->text(), decoding.name).value_or_throw());
  std::string map_bytes;
  if (head->frame_count > 0) map_bytes = decoding.window.take(static_cast<std::size_t>(head->map_bytes()))->text();
  const std::vector<frames::Frame> map = frames::parse_map(*head, map_bytes, decoding.name).value_or_throw();
  std::string signature;
  if (head->is_signed) signature = decoding.window.take(frames::k_signature_bytes)->text();
  check(frames::root_of(cat(head_bytes->text(), map_bytes)), signature);
  decoding.disk.begin(head->disk_size);
  std::uint64_t next = 0;
  for (const frames::Frame& frame : map) {
    hearth::check(frame.block >= next, "frames come in the order of the disk", "block", frame.block, "next", next);
    add_zeros(decoding, *head, next, frame.block);
    next = std::uint64_t{frame.block} + 1;
    decoding.pool.add([&decoding, head, frame, stored = decoding.window.take(frame.stored)](Workbench& bench) {
      write_frame(decoding, *head, frame, *stored, bench);
    });
  }
  add_zeros(decoding, *head, next, (head->disk_size + head->block_size - 1) / head->block_size);
  return head->disk_size;
}

}  // namespace hearth::agent::deploy
