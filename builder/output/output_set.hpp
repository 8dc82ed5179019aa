// All output files of one build, from one tree and one raw disk, several at a time.
#pragma once

#include <functional>
#include <string>
#include <vector>

#include "builder/boot/grub.hpp"
#include "builder/output/container_config.hpp"
#include "builder/output/format.hpp"
#include "builder/output/image_writer.hpp"

namespace hearth::builder {

struct OutputSource {
  fs::path tree;
  RawImage raw;       ///< the disk; needed for formats that come from it
  DiskLayout layout;  ///< with its ids: which kernel boots from which root
  BootOptions boot;
  fs::path scratch;
  std::int64_t epoch = 0;
};

struct OutputSettings {
  WriteOptions disk;
  std::string container_tag;  ///< REPOSITORY:TAG
  ContainerConfig container = {};
  std::string architecture;               ///< Debian's name
  std::string aci_manifest;               ///< its text; empty = none
  std::vector<std::string> gzip_program;  ///< compresses a tgz from stdin to stdout, like gzip; empty = gzip_stream()
  std::vector<HashKind> checksums;
  /// Makes the tree a file system of this type, in a raw file; see FormatKind::file_system.
  std::function<void(const std::string& type, const fs::path& raw)> make_file_system;
};

struct Output {
  OutputFormat format;
  fs::path target;
  fs::path kept = {};  ///< of a directory: the name that an earlier one gets; empty = none
};

/// Writes one. Each file appears complete and synced, or not at all.
void write_output(const Output& output, const OutputSource& source, const OutputSettings& settings,
                  CommandRunner& runner);

/// Writes all, `at_once` of them at a time. After a failure none is begun any more, those being written are finished
/// (so what is there is complete), and the first failure in the order of `outputs` is thrown.
void write_outputs(const std::vector<Output>& outputs, const OutputSource& source, const OutputSettings& settings,
                   CommandRunner& runner, unsigned at_once);

/// The files that an output consists of: its target, and the ramdisk of a kernel.
[[nodiscard]] std::vector<fs::path> files_of(const Output& output);

}  // namespace hearth::builder
