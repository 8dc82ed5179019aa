// A tree as a prototype file of mkfs.xfs (-p, mkfs.xfs(8)) can tell it: directories, files, links and devices by name.
// What it can't tell (owners are told as root's, sticky bits, times, attributes, hard links, odd names) the pass
// afterwards puts right (xfs_finish.hpp).
#pragma once

#include <sys/stat.h>

#include <map>
#include <optional>
#include <string>
#include <vector>

#include "base/path.hpp"

namespace hearth::builder {

struct XfsNode {
  std::string name;  ///< as it is in the tree; empty for the root
  std::string told;  ///< as the prototype tells it: xfs_stand_in(name)
  fs::path path;     ///< of the source
  struct ::stat status {};
  std::string target;                             ///< of a symbolic link
  std::map<std::string, std::string> attributes;  ///< extended ones, by their full names
  bool hard_link = false;                         ///< a further name of an earlier node
  bool all_hole = false;                          ///< a file of nothing but a hole: told as an empty one
  std::vector<XfsNode> children;                  ///< by name

  [[nodiscard]] bool is_directory() const { return S_ISDIR(status.st_mode); }
};

/// Reads the tree; sockets are left out, as archives do.
[[nodiscard]] XfsNode read_xfs_tree(const fs::path& source);

/// Why a file system of this tree can't be made this way; nothing when it can.
[[nodiscard]] std::optional<std::string> xfs_obstacle(const XfsNode& node);
/// The same for options of mkfs.xfs that change what the pass afterwards understands.
[[nodiscard]] std::optional<std::string> xfs_obstacle(const std::vector<std::string>& options);

/// The size of the largest file.
[[nodiscard]] std::uint64_t largest_file(const XfsNode& root);

/// A name of the same length and with the same hash (XFS hashes names by rotating and xor: bit 0 of a byte and bit 7 of
/// the next fall on each other) that holds none of the signs which end a word of the prototype. Nothing where there is
/// none.
[[nodiscard]] std::optional<std::string> xfs_stand_in(const std::string& name);

/// The prototype. Files are told as what they are below `links`: a directory that gets links where a path can't be
/// told; its link "t" leads to the tree.
[[nodiscard]] std::string xfs_prototype(const XfsNode& root, const fs::path& links);

/// The extended attributes as one inode holds them (xfs_attr_shortform); nothing when they don't fit into `room` bytes.
/// ACLs are written in XFS' form, under its names.
[[nodiscard]] std::optional<std::string> xfs_attribute_fork(const std::map<std::string, std::string>& attributes,
                                                            std::size_t room);

}  // namespace hearth::builder
