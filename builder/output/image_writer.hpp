// Disk images in their output formats. Each appears under its name complete and synced, or not at all.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "base/hash.hpp"
#include "base/path.hpp"
#include "base/sys/process.hpp"
#include "builder/output/format.hpp"
#include "builder/packing/output_file.hpp"
#include "builder/qcow2/cluster_codec.hpp"
#include "builder/qcow2/raw_disk.hpp"

namespace hearth::builder {

struct WriteOptions {
  qcow2::Compression compression = qcow2::Compression::fast;  ///< qcow2 only
  std::string qemu_options;                                   ///< --qemu-img-options, "k=v,k2=v2", for all qemu formats
  fs::path backing;                 ///< qcow2 only: a raw disk that the image shall lie over; empty: none
  std::int64_t epoch = 0;           ///< time of creation, for formats that have one
  std::vector<HashKind> checksums;  ///< checksum files to write beside it
  fs::path earlier;                 ///< qcow2 only: see qcow2::WriterOptions
  fs::path index;
  FilesTogether* together = nullptr;  ///< where it waits for its name; null: it gets it at once
};

/// A raw disk image; `left_out` is what it does not hold yet, but files do (qcow2::RawDisk).
struct RawImage {
  RawImage(fs::path disk, std::vector<qcow2::FilePiece> pieces = {})  // NOLINT(google-explicit-constructor)
      : file(std::move(disk)), left_out(std::move(pieces)) {}
  fs::path file;
  std::vector<qcow2::FilePiece> left_out;
};

/// Whether write_image() writes the format from a raw image of which something is left out.
[[nodiscard]] bool takes_left_out(const OutputFormat& format, const std::string& qemu_options);

/// The qemu-img command that converts `raw` to `target`. Pure.
[[nodiscard]] std::vector<std::string> convert_argv(const fs::path& raw, const OutputFormat& format,
                                                    const std::string& target, const WriteOptions& options);

/// The qemu-img command that tells whether `settings` are some of the format's. Pure.
[[nodiscard]] std::vector<std::string> trial_argv(const OutputFormat& format, const std::string& target,
                                                  const std::string& settings);

/// Writes a raw disk as `target` in a disk format (format.from_disk()). A raw one is copied sparsely. Equal disks give
/// equal bytes in every format. Throws Error where the raw disk is not whole and the format is none of
/// takes_left_out().
/// In a pid namespace /proc must be that namespace's own: qemu-img opens the unnamed target by AtomicFile::proc_path().
void write_image(const RawImage& raw, const OutputFormat& format, const fs::path& target, const WriteOptions& options,
                 CommandRunner& runner);

}  // namespace hearth::builder
