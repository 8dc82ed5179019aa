// The files of images: what says how a qcow2 and a frames file are made up, and compressed data in all forms. The first
// byte chooses.
#include "agent/deploy/image/decoders.hpp"
#include "agent/deploy/image/qcow2_map.hpp"
#include "base/error.hpp"
#include "base/frames/frame_map.hpp"
#include "tests/fuzz/check.hpp"

using hearth::fuzz::check;
using namespace hearth::agent::deploy;

namespace {

void read_qcow2(std::string_view bytes) {
  const auto header = parse_qcow2_header(bytes, "fuzz");
  if (!header) return;
  check(header->cluster_bits < 32);
  const std::string_view tables = bytes.substr(std::min(bytes.size(), k_qcow2_header_bytes));
  std::vector<Extent> extents;
  try {
    const std::vector<std::uint64_t> l1 = parse_l1(tables.substr(0, tables.size() / 8 * 8));
    parse_l2(*header, 0, tables.substr(0, tables.size() / 8 * 8), extents);
    check(extents.size() <= tables.size() / 8);
  } catch (const hearth::Error&) {
    return;
  }
}

void read_frames(std::string_view bytes) {
  namespace frames = hearth::frames;
  const auto head = frames::parse_head(bytes.substr(0, frames::k_head_bytes), "fuzz");
  if (!head) return;
  const auto map = frames::parse_map(*head, bytes.substr(std::min(bytes.size(), frames::k_head_bytes)), "fuzz");
  if (map) check(map->size() == head->frame_count);
}

void inflate_stream(std::string_view bytes, StreamInflater::Kind kind) {
  try {
    StreamInflater inflater(kind);
    std::array<char, 4096> out{};
    for (int i = 0; i < 1000 && inflater.inflate(bytes, out) > 0; ++i) {
    }
    (void)inflater.complete();
  } catch (const hearth::Error&) {
    return;
  }
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  if (size == 0) return 0;
  const std::string_view bytes = hearth::fuzz::text_of(data + 1, size - 1);
  std::array<char, 65536> out{};
  switch (data[0] % 6) {
    case 0: read_qcow2(bytes); break;
    case 1: read_frames(bytes); break;
    case 2: inflate_stream(bytes, StreamInflater::Kind::gzip); break;
    case 3: inflate_stream(bytes, StreamInflater::Kind::zstd); break;
    case 4: (void)inflate_raw(bytes, out); break;
    default: (void)FrameInflater().inflate(bytes, out); break;
  }
  (void)format_of(bytes);
  return 0;
}
