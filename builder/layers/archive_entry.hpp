// One file, directory, link or node of a layer archive: reading it off the disk, its bytes in the archive, making it
// again. Owners are ids as the build sees them, so that one archive serves every user.
#pragma once

#include <map>
#include <string>
#include <vector>

#include "base/path.hpp"
#include "base/sys/fd.hpp"
#include "builder/layers/wire.hpp"

namespace hearth::builder {

/// What an archive keeps in frames of their own; a file is everything that is neither of the others.
enum class EntryKind { directory, file, hard_link };

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
  [[nodiscard]] EntryKind kind() const;
};

/// Adds the entry, and a regular file's data without its holes, read from `root`.
void put_entry(std::string& out, const ArchiveEntry& entry, const fs::path& root);

/// Makes entries below a directory. The bytes may be anyone's: no path leads out of the directory, neither by ".." nor
/// by a link that an earlier entry made (openat2, RESOLVE_BENEATH and RESOLVE_NO_SYMLINKS).
class EntryRestorer {
 public:
  explicit EntryRestorer(const fs::path& root);
  /// Takes an entry off the bytes and makes it; one of another kind is refused. Directories get their times by
  /// finish_directory().
  ArchiveEntry restore(wire::Reader& bytes, EntryKind kind);
  /// The time of a directory, when everything is in it.
  void finish_directory(const ArchiveEntry& entry);

 private:
  const Fd& parent_of(const std::string& path, std::string& name);
  void make_link(const ArchiveEntry& entry);
  void make_directory(const ArchiveEntry& entry);
  void make_file(const ArchiveEntry& entry, wire::Reader& bytes);
  void make_other(const ArchiveEntry& entry);

  Fd root_;
  Fd parent_;  ///< of the last entry: the next one mostly lies beside it
  std::string parent_path_ = ".";
};

/// Everything below `root` that an archive can hold (sockets are not), parents first, names sorted; hard links after
/// the first name of their inode.
[[nodiscard]] std::vector<ArchiveEntry> scan_tree(const fs::path& root);

}  // namespace hearth::builder
