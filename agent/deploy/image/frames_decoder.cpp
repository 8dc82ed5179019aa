#include "agent/deploy/image/decoders.hpp"
#include "base/check.hpp"
#include "base/error.hpp"
#include "base/frames/frame_map.hpp"
#include "base/text.hpp"

namespace hearth::agent::deploy {

namespace {

/// Decompresses a verified frame and writes it. Runs in the pool.
void write_frame(const FrameWriting& writing, const frames::Frame& frame, std::string_view stored, Workbench& bench) {
  const std::uint32_t size = writing.head.bytes_of(frame.block);
  const std::uint64_t offset = std::uint64_t{frame.block} * writing.head.block_size;
  if (frame.stored == size) {
    write_data(writing.to.disk, offset, stored);
  } else {
    const std::span<char> out = bench.out.room().first(size);
    if (!bench.zstd.inflate(stored, out)) {
      throw Error(ErrorKind::input,
                  cat(writing.to.name, ": block ", frame.block, " is no zstd frame of ", size, " bytes"));
    }
    write_data(writing.to.disk, offset, {out.data(), out.size()});
  }
  writing.to.written += size;
}

/// Has the blocks from `from` up to `to` made zero.
void add_zeros(const FrameWritingPtr& writing, std::uint64_t from, std::uint64_t to) {
  const std::uint64_t begin = from * writing->head.block_size;
  const std::uint64_t end = std::min(to * writing->head.block_size, writing->head.disk_size);
  if (begin >= end) return;
  writing->to.pool.add([writing, begin, end](Workbench&) {
    writing->to.disk.zero(begin, end - begin);
    writing->to.written += end - begin;
  });
}

/// The block behind that of the frame before.
std::uint64_t block_after(const FrameWriting& writing, std::size_t frame) {
  return frame == 0 ? 0 : std::uint64_t{writing.map[frame - 1].block} + 1;
}

}  // namespace

bool is_frame(const frames::Frame& frame, std::string_view stored) { return frames::hash_of(stored) == frame.hash; }

Error wrong_frame(const Writing& to, const frames::Frame& frame) {
  return Error(ErrorKind::input,
               cat(to.name, ": block ", frame.block, " is not what the image's map says: its hash differs"))
      .hint("The file is damaged or was exchanged: publish the image again.");
}

FrameWritingPtr begin_frames(Writing& to, const RootCheck& check, const std::function<std::string(std::size_t)>& take) {
  const std::string head_bytes = take(frames::k_head_bytes);
  const frames::Head head = frames::parse_head(head_bytes, to.name).value_or_throw();
  const std::size_t map_size = static_cast<std::size_t>(head.map_bytes());
  const std::size_t size = map_size + (head.is_signed ? frames::k_signature_bytes : 0);
  const std::string rest = size > 0 ? take(size) : "";
  const std::string map_bytes = rest.substr(0, map_size);
  std::vector<frames::Frame> map = frames::parse_map(head, map_bytes, to.name).value_or_throw();
  const std::string root = frames::root_of(cat(head_bytes, map_bytes));
  check(root, std::string_view(rest).substr(map_size));
  to.disk.begin(head.disk_size);
  if (to.shelf != nullptr) {
    to.shelf->open(root, head, map, to.room);
    to.pool.let_wait(static_cast<std::size_t>(to.room / head.block_size));
  }
  return std::make_shared<const FrameWriting>(FrameWriting{to, head, std::move(map)});
}

void add_frame(const FrameWritingPtr& writing, std::size_t frame, const Block& stored, bool checked) {
  const frames::Frame& entry = writing->map.at(frame);
  const std::uint64_t after = block_after(*writing, frame);
  check(entry.block >= after, "frames come in the order of the disk", "block", entry.block, "next", after);
  add_zeros(writing, after, entry.block);
  const auto write = [writing, frame, stored](Workbench& bench) {
    write_frame(*writing, writing->map[frame], stored->text(), bench);
  };
  if (checked) return writing->to.pool.add(write);
  writing->to.pool.add([writing, frame, stored, write](Workbench& bench) {
    const frames::Frame& own = writing->map[frame];
    if (!is_frame(own, stored->text())) throw wrong_frame(writing->to, own);
    if (writing->to.shelf == nullptr) return write(bench);
    writing->to.shelf->put(frame, stored);
    writing->to.pool.follow(write);  // a slow disk is no matter of those that ask for it
  });
}

void end_frames(const FrameWritingPtr& writing) {
  const frames::Head& head = writing->head;
  add_zeros(writing, block_after(*writing, writing->map.size()),
            (head.disk_size + head.block_size - 1) / head.block_size);
}

std::uint64_t decode_frames(Decoding& decoding, const RootCheck& check) {
  const FrameWritingPtr writing =
      begin_frames(decoding, check, [&](std::size_t size) { return std::string(decoding.window.take(size)->text()); });
  for (std::size_t frame = 0; frame < writing->map.size(); ++frame)
    add_frame(writing, frame, decoding.window.take(writing->map[frame].stored), false);
  end_frames(writing);
  return writing->head.disk_size;
}

}  // namespace hearth::agent::deploy
