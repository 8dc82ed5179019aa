// A raw disk to be read: a file, in whose place the data of files may still lie in the tree that the disk was made
// from. What is never written into the raw file needs no memory, and is copied once.
#pragma once

#include <cstdint>
#include <optional>
#include <span>
#include <vector>

#include "base/path.hpp"
#include "base/sys/fd.hpp"

namespace hearth::builder::qcow2 {

/// A stretch of a file, and its place on a disk. All in bytes.
struct FilePiece {
  fs::path file;
  std::uint64_t from = 0;
  std::uint64_t length = 0;
  std::uint64_t to = 0;  ///< on the disk
  bool operator==(const FilePiece&) const = default;
};

/// Bytes of a disk, from begin to before end.
struct Stretch {
  std::uint64_t begin = 0;
  std::uint64_t end = 0;
  bool operator==(const Stretch&) const = default;
};

class RawDisk {
 public:
  /// `left_out` is what the file does not hold, pieces that don't overlap; it has holes there. Their files must not
  /// change while the object lives. Throws Error when the file can't be opened.
  explicit RawDisk(const fs::path& file, std::vector<FilePiece> left_out = {});

  /// A multiple of 512: QEMU counts disks in sectors.
  [[nodiscard]] std::uint64_t size() const { return size_; }
  /// The first stretch that may hold data at or behind `position`; nothing when only holes follow. Not for two threads
  /// at once.
  [[nodiscard]] std::optional<Stretch> data_from(std::uint64_t position) const;
  /// Fills `buffer` from `offset` on; what lies behind the end of the file is zero. For any number of threads. Throws
  /// Error when something can't be read, or a file is shorter than its piece.
  void read(std::uint64_t offset, std::span<std::uint8_t> buffer) const;

 private:
  Fd fd_;
  std::uint64_t size_;
  std::vector<FilePiece> left_out_;  ///< by their places on the disk
};

/// Fills `buffer` from the piece's byte `at` on; at + buffer.size() ≤ piece.length. Throws Error as RawDisk::read().
void read_piece(const FilePiece& piece, std::uint64_t at, std::span<std::uint8_t> buffer);

}  // namespace hearth::builder::qcow2
