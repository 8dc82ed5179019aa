// Files of a tree that others made: a target, an inspected guest, what an archive unpacks to. Its links lead where they
// would lead inside: the kernel resolves them with the tree as the root (openat2(2), Linux 5.6), so that an absolute
// link or one with too many ".." never reaches a file of the host.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "base/path.hpp"
#include "base/sys/fd.hpp"
#include "base/sys/file.hpp"

namespace hearth {

/// Opens `path` below `directory`. Neither ".." nor any link on the way, the last part included, is followed. Throws.
[[nodiscard]] Fd open_beneath(const Fd& directory, const std::string& path, int flags, unsigned mode = 0);

/// Paths are those of the tree; whether they begin with a slash does not matter.
class TreeReader final : public FileReader {
 public:
  /// Throws Error when there is no such directory, or the kernel has no openat2().
  explicit TreeReader(const fs::path& root);

  /// A regular file's contents; nothing for anything else: a pipe would not end.
  [[nodiscard]] std::optional<std::string> read(const fs::path& path) const override;
  [[nodiscard]] std::optional<FileStatus> status(const fs::path& path) const override;
  [[nodiscard]] std::vector<std::string> list(const fs::path& directory) const override;

  /// Whether it is there, links followed.
  [[nodiscard]] bool exists(const fs::path& path) const { return status(path).has_value(); }
  /// The text of a symbolic link; nothing when it is none. Links before the last part are followed.
  [[nodiscard]] std::optional<std::string> link_text(const fs::path& path) const;
  /// The path as the host has it, all links resolved; nothing when there is no such file. For programs that want a
  /// name: it holds as long as nothing writes to the tree.
  [[nodiscard]] std::optional<fs::path> host_path(const fs::path& path) const;

 private:
  [[nodiscard]] Fd open(const fs::path& path, int flags) const;  ///< empty when there is no such file

  fs::path root_path_;
  Fd root_;
};

/// The directory `path` of `tree` as the host has it, its links resolved in the tree; what is missing is made, with
/// mode 0755. Throws where a link leads nowhere.
fs::path make_directories_in_tree(const fs::path& tree, const fs::path& path);

}  // namespace hearth
