// One file, directory, link or node of a layer archive: reading it off the disk, its bytes in the archive, making it
// again. Owners are ids as the build sees them, so that one archive serves every user.
#pragma once

#include <map>
#include <string>
#include <vector>

#include "base/path.hpp"
#include "builder/layers/wire.hpp"

namespace hearth::builder {

struct ArchiveEntry {
  std::string path;  ///< relative, without leading "./"; the archive's own root is ""
  std::string link;  ///< a symbolic link's text; of a hard link the path that it shares its inode with
  bool hard_link = false;
  std::uint32_t mode = 0;  ///< st_mode
  std::uint32_t uid = 0;
  std::uint32_t gid = 0;
  std::uint64_t device = 0;  ///< st_rdev
  std::uint64_t seconds = 0;
  std::uint32_t nanoseconds = 0;
  std::uint64_t size = 0;
  std::map<std::string, std::string> attributes;  ///< extended ones

  [[nodiscard]] bool is_directory() const;
  [[nodiscard]] bool is_regular() const;
};

/// Adds the entry, and a regular file's data without its holes, read from `root`.
void put_entry(std::string& out, const ArchiveEntry& entry, const fs::path& root);

/// Takes an entry off the bytes and makes it below `root`. Directories get their times by finish_directory().
[[nodiscard]] ArchiveEntry restore_entry(wire::Reader& bytes, const fs::path& root);

/// Mode and times of a directory, when everything is in it.
void finish_directory(const ArchiveEntry& directory, const fs::path& root);

/// Everything below `root` that an archive can hold (sockets are not), parents first, names sorted; hard links after
/// the first name of their inode.
[[nodiscard]] std::vector<ArchiveEntry> scan_tree(const fs::path& root);

}  // namespace hearth::builder
