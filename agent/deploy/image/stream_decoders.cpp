#include "agent/deploy/image/decoders.hpp"
#include "base/error.hpp"
#include "base/frames/frame_map.hpp"
#include "base/text.hpp"

namespace hearth::agent::deploy {

namespace {

void add_block(Decoding& decoding, std::uint64_t offset, std::shared_ptr<Buffer> block) {
  if (offset + block->used > decoding.disk.size()) {
    throw Error(ErrorKind::input,
                cat("the disk ", decoding.disk.path(), " is too small: it has ", decoding.disk.size(), " bytes (",
                    human_bytes(decoding.disk.size()), "), ", decoding.name, " needs more"))
        .hint("Choose a larger disk by root device hints, or an image with a smaller disk.");
  }
  decoding.pool.add([&decoding, offset, block = std::move(block)](Workbench&) {
    write_data(decoding.disk, offset, block->text());
    decoding.written += block->used;
  });
}

}  // namespace

ImageFormat format_of(std::string_view front) {
  if (front.substr(0, 4) == "QFI\xfb") return ImageFormat::qcow2;
  if (front.substr(0, frames::k_magic.size()) == frames::k_magic) return ImageFormat::frames;
  if (front.substr(0, 3) == "\x1f\x8b\x08") return ImageFormat::gzip;
  if (front.substr(0, 4) == "\x28\xb5\x2f\xfd") return ImageFormat::zstd;
  return ImageFormat::raw;
}

std::string_view format_name(ImageFormat format) {
  switch (format) {
    case ImageFormat::raw: return "raw";
    case ImageFormat::gzip: return "gzip";
    case ImageFormat::zstd: return "zstd";
    case ImageFormat::qcow2: return "qcow2";
    case ImageFormat::frames: return "frames";
  }
  return "";
}

std::uint64_t decode_raw(Decoding& decoding) {
  decoding.disk.begin(decoding.source.size().value_or(0));
  std::uint64_t offset = 0;
  while (auto block = decoding.window.take_some(k_block)) {
    const std::size_t size = block->used;
    add_block(decoding, offset, std::move(block));
    offset += size;
  }
  return offset;
}

std::uint64_t decode_stream(Decoding& decoding, StreamInflater::Kind kind) {
  decoding.disk.begin(0);
  StreamInflater inflater(kind);
  std::uint64_t offset = 0;
  auto block = std::make_shared<Buffer>(k_block);
  const auto flush = [&] {
    const std::size_t size = block->used;
    if (size > 0) add_block(decoding, offset, std::move(block));
    offset += size;
    block = std::make_shared<Buffer>(k_block);
  };
  std::string kept;
  std::string_view in;
  while (true) {
    if (in.empty()) {
      kept = decoding.window.next();
      in = kept;
    }
    const bool last = in.empty();
    const std::size_t got = inflater.inflate(in, block->room().subspan(block->used));
    block->used += got;
    if (block->used == k_block) flush();
    if (last && got == 0) break;
  }
  flush();
  if (!inflater.complete()) throw Error(ErrorKind::input, cat(decoding.name, ": the compressed image is cut off"));
  return offset;
}

}  // namespace hearth::agent::deploy
