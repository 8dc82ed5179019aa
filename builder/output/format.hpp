// The output formats by their names on the command line ("-t qcow2,tar").
#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "base/sys/process.hpp"
#include "builder/disk/file_system_maker.hpp"

namespace hearth::builder {

/// How a format is made.
enum class FormatKind {
  // From the whole disk.
  raw,    ///< the raw disk itself
  qcow2,  ///< by our own writer; by qemu-img where --qemu-img-options ask for what ours does not do
  qemu,   ///< qemu-img convert -O NAME
  // From the tree.
  archive,      ///< tar, tgz, tar.zst, aci
  squashfs,     ///< by mksquashfs
  erofs,        ///< by mkfs.erofs
  file_system,  ///< ext4, xfs, btrfs: the tree as one file system, without a partition table
  docker,       ///< an archive for `docker load`
  oci,          ///< an OCI layout, a directory
  oci_archive,  ///< the same as one tar
  kernel,       ///< the kernel and the ramdisk that the tree boots with, two files
  uki,          ///< these and a command line as one UEFI program
  iso,          ///< a live system that starts from CD or stick, by BIOS and UEFI
};

struct OutputFormat {
  std::string name;  ///< "qcow2"
  FormatKind kind = FormatKind::qemu;
  bool operator==(const OutputFormat&) const = default;
  [[nodiscard]] bool from_disk() const { return kind <= FormatKind::qemu; }
  /// The file's extension: mostly the name, but upstream's "squash" for squashfs, "oci.tar" for oci-archive, "efi" for
  /// uki, "vmlinuz" for kernel (its ramdisk has "initrd").
  [[nodiscard]] std::string extension() const;
};

/// What -t takes; the default is the first.
[[nodiscard]] std::vector<std::string> format_type_names();

/// What other programs call a format, and what -t calls it: {"img", "raw"}.
[[nodiscard]] const std::vector<std::pair<std::string, std::string>>& alike_format_names();

/// The name of -t that is nearest to one that it does not have.
[[nodiscard]] std::optional<std::string> nearest_format(const std::string& name);

/// The formats of a comma-separated list, each once, in the order given. Throws Error(usage), with the nearest known
/// name, for one that neither we nor qemu-img can write.
[[nodiscard]] std::vector<OutputFormat> parse_formats(std::string_view list);

[[nodiscard]] bool is_format(const std::string& name);

/// Programs that these formats need, with these --qemu-img-options; to be checked by require_programs() before the
/// build starts.
[[nodiscard]] std::vector<NeededProgram> programs_for(const std::vector<OutputFormat>& formats,
                                                      const std::string& qemu_options);

}  // namespace hearth::builder
