#include "builder/qcow2/raw_disk.hpp"

#include <fcntl.h>
#include <unistd.h>

#include <algorithm>

#include "base/error.hpp"
#include "base/text.hpp"

namespace hearth::builder::qcow2 {

namespace {

constexpr std::uint64_t k_sector = 512;
constexpr std::uint64_t k_near = 4096;  // the end of a file's last block is no hole

std::uint64_t size_of(const Fd& fd) {
  const off_t end = ::lseek(fd.get(), 0, SEEK_END);  // of a file or of a block device
  if (end < 0) throw Error::from_errno("finding the size of", "the raw disk");
  return (static_cast<std::uint64_t>(end) + k_sector - 1) / k_sector * k_sector;
}

/// Bytes read, fewer than asked for at the end of the file only.
std::size_t read_all(const Fd& fd, std::uint64_t offset, std::span<std::uint8_t> buffer, std::string_view name) {
  std::size_t filled = 0;
  while (filled < buffer.size()) {
    const ssize_t got =
        ::pread(fd.get(), buffer.data() + filled, buffer.size() - filled, static_cast<off_t>(offset + filled));
    if (got < 0 && errno == EINTR) continue;
    if (got < 0) throw Error::from_errno("reading", std::string(name));
    if (got == 0) break;
    filled += static_cast<std::size_t>(got);
  }
  return filled;
}

std::optional<Stretch> data_of(const Fd& fd, std::uint64_t position) {
  const off_t data = ::lseek(fd.get(), static_cast<off_t>(position), SEEK_DATA);
  if (data < 0) {
    if (errno == ENXIO) return std::nullopt;  // only a hole up to the end
    throw Error::from_errno("finding the data of", "the raw disk");
  }
  const off_t hole = ::lseek(fd.get(), data, SEEK_HOLE);
  if (hole < 0) throw Error::from_errno("finding the data of", "the raw disk");
  return Stretch{static_cast<std::uint64_t>(data), static_cast<std::uint64_t>(hole)};
}

std::uint64_t end_of(const FilePiece& piece) { return piece.to + piece.length; }

/// The first piece that ends behind `position`.
std::vector<FilePiece>::const_iterator first_behind(const std::vector<FilePiece>& pieces, std::uint64_t position) {
  return std::partition_point(pieces.begin(), pieces.end(),
                              [&](const FilePiece& piece) { return end_of(piece) <= position; });
}

}  // namespace

RawDisk::RawDisk(const fs::path& file, std::vector<FilePiece> left_out)
    : fd_(Fd::open(file.string(), O_RDONLY)), size_(size_of(fd_)), left_out_(std::move(left_out)) {
  std::sort(left_out_.begin(), left_out_.end(),
            [](const FilePiece& one, const FilePiece& other) { return one.to < other.to; });
}

std::optional<Stretch> RawDisk::data_from(std::uint64_t position) const {
  const std::optional<Stretch> here = data_of(fd_, position);
  const auto piece = first_behind(left_out_, position);
  if (piece == left_out_.end() || (here && here->begin <= piece->to)) return here;
  std::uint64_t end = end_of(*piece);
  for (auto next = piece + 1; next != left_out_.end() && next->to < end + k_near; ++next) end = end_of(*next);
  return Stretch{std::max(position, piece->to), end};
}

void RawDisk::read(std::uint64_t offset, std::span<std::uint8_t> buffer) const {
  for (auto piece = first_behind(left_out_, offset); !buffer.empty(); ++piece) {
    const std::uint64_t before = piece == left_out_.end() ? buffer.size()
                                 : piece->to > offset     ? std::min<std::uint64_t>(piece->to - offset, buffer.size())
                                                          : 0;
    const std::size_t read = read_all(fd_, offset, buffer.first(before), "the raw disk");
    std::fill_n(buffer.begin() + static_cast<std::ptrdiff_t>(read), before - read, std::uint8_t{0});
    offset += before;
    buffer = buffer.subspan(before);
    if (buffer.empty()) return;
    const std::uint64_t at = offset - piece->to;
    const std::uint64_t now = std::min<std::uint64_t>(piece->length - at, buffer.size());
    read_piece(*piece, at, buffer.first(now));
    offset += now;
    buffer = buffer.subspan(now);
  }
}

void read_piece(const FilePiece& piece, std::uint64_t at, std::span<std::uint8_t> buffer) {
  const Fd file = Fd::open(piece.file.string(), O_RDONLY | O_NOFOLLOW);
  if (read_all(file, piece.from + at, buffer, piece.file.string()) == buffer.size()) return;
  throw Error(ErrorKind::io, cat(piece.file.string(), " became shorter while it was copied"));
}

}  // namespace hearth::builder::qcow2
