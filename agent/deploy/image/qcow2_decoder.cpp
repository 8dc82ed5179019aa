#include <algorithm>

#include "agent/deploy/image/decoders.hpp"
#include "agent/deploy/image/qcow2_map.hpp"
#include "base/error.hpp"
#include "base/text.hpp"

namespace hearth::agent::deploy {

namespace {

constexpr std::uint64_t k_longest_piece = std::uint64_t{4} << 20U;
constexpr std::uint64_t k_batch = std::uint64_t{1} << 20U;  ///< bytes of the file that one job takes

/// A table, by a request of its own: nothing vouches for that answer until the file, whose hash and signature are
/// known, has been seen to have the same bytes there. The disk is committed after that (write_image.cpp).
std::string piece(Decoding& decoding, std::uint64_t offset, std::uint64_t length) {
  std::optional<std::string> bytes = decoding.source.piece(offset, length);
  if (!bytes) throw Error(ErrorKind::unsupported, cat(decoding.name, ": the server gives no parts of files"));
  decoding.window.expect(offset, *bytes);
  return std::move(*bytes);
}

struct Table {
  std::uint64_t offset = 0;
  std::uint64_t number = 0;
};

/// All extents, in the order of the file. Tables that lie near each other are fetched together.
std::vector<Extent> read_tables(Decoding& decoding, const Qcow2Header& header) {
  std::vector<Extent> extents;
  if (header.l1_entries == 0) return extents;
  const std::vector<std::uint64_t> l1 =
      parse_l1(piece(decoding, header.l1_offset, std::uint64_t{header.l1_entries} * 8));
  std::vector<Table> tables;
  for (std::size_t i = 0; i < l1.size(); ++i) {
    if (l1[i] != 0) tables.push_back({l1[i], i});
  }
  std::sort(tables.begin(), tables.end(), [](const Table& a, const Table& b) { return a.offset < b.offset; });
  // So there are no more extents than the file has room for: one table, named again and again, would fill the memory.
  const auto shared = std::adjacent_find(tables.begin(), tables.end(), [&header](const Table& a, const Table& b) {
    return b.offset - a.offset < header.cluster();
  });
  if (shared != tables.end()) {
    throw Error(ErrorKind::input, cat(decoding.name, ": two of the qcow2 image's tables lie at byte ", shared->offset));
  }
  for (std::size_t i = 0; i < tables.size();) {
    std::size_t end = i + 1;
    while (end < tables.size() && tables[end].offset + header.cluster() - tables[i].offset <= k_longest_piece) ++end;
    const std::uint64_t length = tables[end - 1].offset + header.cluster() - tables[i].offset;
    const std::string bytes = piece(decoding, tables[i].offset, length);
    for (const std::uint64_t begin = tables[i].offset; i < end; ++i) {
      const std::string_view table = std::string_view(bytes).substr(static_cast<std::size_t>(tables[i].offset - begin));
      parse_l2(header, tables[i].number, table.substr(0, static_cast<std::size_t>(header.cluster())), extents);
    }
  }
  std::sort(extents.begin(), extents.end(), [](const Extent& a, const Extent& b) { return a.offset < b.offset; });
  return extents;
}

/// Has everything made zero that no extent covers.
void add_gaps(Decoding& decoding, const Qcow2Header& header, const std::vector<Extent>& extents) {
  std::vector<std::uint64_t> clusters;
  clusters.reserve(extents.size());
  for (const Extent& extent : extents) clusters.push_back(extent.cluster);
  std::sort(clusters.begin(), clusters.end());
  clusters.push_back((header.disk_size + header.cluster() - 1) / header.cluster());
  std::uint64_t next = 0;
  for (const std::uint64_t cluster : clusters) {
    const std::uint64_t begin = next * header.cluster();
    const std::uint64_t end = std::min(cluster * header.cluster(), header.disk_size);
    next = cluster + 1;
    if (begin >= end) continue;
    decoding.pool.add([&decoding, begin, end](Workbench&) {
      decoding.disk.zero(begin, end - begin);
      decoding.written += end - begin;
    });
  }
}

void write_cluster(Decoding& decoding, const Qcow2Header& header, const Extent& extent, std::string_view stored,
                   Workbench& bench) {
  const std::uint64_t offset = extent.cluster * header.cluster();
  const auto size = static_cast<std::size_t>(std::min(header.cluster(), header.disk_size - offset));
  std::string_view data = stored;
  const std::span<char> out = bench.out.room().first(static_cast<std::size_t>(header.cluster()));
  if (extent.compressed) {
    if (!(header.zstd ? bench.zstd.inflate(stored, out) : inflate_raw(stored, out))) {
      throw Error(ErrorKind::input,
                  cat(decoding.name, ": the compressed cluster at byte ", extent.offset, " is broken"));
    }
    data = {out.data(), out.size()};
  }
  write_data(decoding.disk, offset, data.substr(0, size));
  decoding.written += size;
}

/// Extents that one job takes, with the stretch of the file that they lie in.
struct Batch {
  std::vector<Extent> extents;
  std::uint64_t begin = 0;
  std::uint64_t end = 0;
};

void add_batch(Decoding& decoding, const Qcow2Header& header, Batch batch) {
  const std::string_view bytes = decoding.window.at(batch.begin, static_cast<std::size_t>(batch.end - batch.begin));
  auto stored = std::make_shared<Buffer>(bytes.size());
  std::copy(bytes.begin(), bytes.end(), stored->room().begin());
  stored->used = bytes.size();
  decoding.pool.add([&decoding, header, batch = std::move(batch), stored = std::move(stored)](Workbench& bench) {
    for (const Extent& extent : batch.extents) {
      const auto at = static_cast<std::size_t>(extent.offset - batch.begin);
      write_cluster(decoding, header, extent, stored->text().substr(at, extent.stored), bench);
    }
  });
}

/// The last compressed cluster of a file may claim more sectors than there are.
void cut_at_end(std::vector<Extent>& extents, const std::optional<std::uint64_t>& size, const std::string& name) {
  for (Extent& extent : extents) {
    if (!size || extent.offset + extent.stored <= *size) continue;
    if (!extent.compressed || extent.offset >= *size)
      throw Error(ErrorKind::input, cat(name, ": the image is cut off"));
    extent.stored = static_cast<std::uint32_t>(*size - extent.offset);
  }
}

}  // namespace

std::uint64_t decode_qcow2(Decoding& decoding) {
  const Qcow2Header header =
      parse_qcow2_header(decoding.window.peek(k_qcow2_header_bytes), decoding.name).value_or_throw();
  decoding.disk.check_room(header.disk_size);  // before the tables, whose number depends on it, are fetched
  std::vector<Extent> extents = read_tables(decoding, header);
  cut_at_end(extents, decoding.source.size(), decoding.name);
  decoding.disk.begin(header.disk_size);
  add_gaps(decoding, header, extents);
  Batch batch;
  for (const Extent& extent : extents) {
    if (!batch.extents.empty() && extent.offset + extent.stored - batch.begin > k_batch) {
      add_batch(decoding, header, std::exchange(batch, {}));
    }
    if (batch.extents.empty()) batch.begin = extent.offset;
    batch.extents.push_back(extent);
    batch.end = std::max(batch.end, extent.offset + extent.stored);
  }
  if (!batch.extents.empty()) add_batch(decoding, header, std::move(batch));
  return header.disk_size;
}

}  // namespace hearth::agent::deploy
