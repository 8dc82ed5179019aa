// What an image file holds: its partitions, volumes and file systems, and their files. What user space can read is read
// directly (partition tables, ext, FAT by mtools, archives); for all else libguestfs' appliance is started, once.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "base/sys/process.hpp"
#include "builder/disk/layout/layout_view.hpp"
#include "builder/guestfs/guest.hpp"
#include "builder/inspect/container_reader.hpp"
#include "builder/inspect/file_tree.hpp"
#include "builder/inspect/partition_reader.hpp"

namespace hearth::builder {

/// A file system of an image.
struct ImagePart {
  std::string device;  ///< "1" for partition 1, "" for the whole disk, "/dev/vg/root" for a volume
  Extent extent;       ///< on the disk; nothing for volumes
  Signature signature;
  std::optional<FileTree> tree;  ///< nothing for what holds no files (swap), or was not read
};

struct ImageContents {
  std::string format;  ///< raw, qcow2…, or "archive"
  std::uint64_t bytes = 0;
  FoundTable table;
  std::vector<ImagePart> parts;
  std::string used;                                 ///< "user space", or why a guest was needed
  std::optional<ContainerContents> container = {};  ///< of a container image; the format is "archive"
};

struct ReadImageOptions {
  fs::path scratch;             ///< an existing directory
  std::vector<fs::path> keys;   ///< files with keys of encrypted volumes
  bool files = true;            ///< read the trees, too
  StartGuest start_guest = {};  ///< empty: what needs a guest is left unread
};

[[nodiscard]] ImageContents read_image(const fs::path& image, const ReadImageOptions& options, CommandRunner& runner);

/// Reads what user space can't: starts a guest with the disk attached read-only, opens arrays, encrypted volumes (with
/// the keys of `options`, each tried) and volume groups, adds the volumes to `contents.parts`, and reads every file
/// system that has no tree yet.
void read_by_guest(const fs::path& raw, const ReadImageOptions& options, ImageContents& contents);

/// The system's files as they are when it runs: the root file system (the one that has /etc/fstab or /etc/os-release)
/// with the others where its fstab mounts them.
[[nodiscard]] FileTree system_tree(const ImageContents& contents);

/// The picture of the disk, for layout_text() and its like.
[[nodiscard]] LayoutNode contents_tree(const ImageContents& contents, const std::string& name);

}  // namespace hearth::builder
