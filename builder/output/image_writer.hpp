// Disk images in their output formats. Each appears under its name complete and synced, or not at all.
#pragma once

#include <string>

#include "base/path.hpp"
#include "base/sys/process.hpp"
#include "builder/output/format.hpp"

namespace hearth::builder {

struct WriteOptions {
  bool compress = true;      ///< qcow2 only; -u switches it off
  std::string qemu_options;  ///< --qemu-img-options, "k=v,k2=v2", for all qemu formats
};

/// The qemu-img command that converts `raw` to `target`. qcow2 is compressed by zstd, in parallel, unless the options
/// choose another compression_type. Pure.
[[nodiscard]] std::vector<std::string> convert_argv(const fs::path& raw, const OutputFormat& format,
                                                    const std::string& target, const WriteOptions& options);

/// Writes a raw disk as `target` in a disk format (format.from_disk()). A raw one is copied sparsely.
/// In a pid namespace /proc must be that namespace's own: qemu-img opens the unnamed target by AtomicFile::proc_path().
void write_image(const fs::path& raw, const OutputFormat& format, const fs::path& target, const WriteOptions& options,
                 CommandRunner& runner);

}  // namespace hearth::builder
