// The output formats by their names on the command line ("-t qcow2,tar").
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "base/sys/process.hpp"
#include "builder/disk/file_system_maker.hpp"

namespace hearth::builder {

/// How a format is made.
enum class FormatKind {
  raw,       ///< the raw disk itself
  qemu,      ///< qemu-img convert -O NAME
  archive,   ///< tar, tgz, aci: from the tree
  squashfs,  ///< by mksquashfs, from the tree
  docker,    ///< an archive for `docker load`, from the tree
};

struct OutputFormat {
  std::string name;  ///< "qcow2"
  FormatKind kind = FormatKind::qemu;
  bool operator==(const OutputFormat&) const = default;
  [[nodiscard]] bool from_disk() const { return kind == FormatKind::raw || kind == FormatKind::qemu; }
  /// The file's extension: the name, but upstream's "squash" for squashfs.
  [[nodiscard]] std::string extension() const { return kind == FormatKind::squashfs ? "squash" : name; }
};

/// The formats of a comma-separated list, each once, in the order given. Throws Error(usage), with the nearest known
/// name, for one that neither we nor qemu-img can write.
[[nodiscard]] std::vector<OutputFormat> parse_formats(std::string_view list);

/// Programs that these formats need; to be checked by require_programs() before the build starts.
[[nodiscard]] std::vector<NeededProgram> programs_for(const std::vector<OutputFormat>& formats);

}  // namespace hearth::builder
