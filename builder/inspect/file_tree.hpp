// FileTree: what a file system or an archive holds, as a value that can be compared: names, kinds, modes, owners,
// extended attributes, and a digest of each file's contents.
#pragma once

#include <cstdint>
#include <functional>
#include <map>
#include <optional>
#include <string>
#include <string_view>

#include "base/path.hpp"

namespace hearth::builder {

struct TreeEntry {
  char kind = 'f';         ///< f file, d directory, l link, b c devices, p pipe, s socket
  std::uint32_t mode = 0;  ///< permission bits with setuid, setgid and sticky
  std::uint32_t uid = 0;
  std::uint32_t gid = 0;
  std::uint64_t size = 0;
  std::int64_t time = 0;
  std::string content;                            ///< SHA-256 of a file; target of a link; "MAJOR:MINOR" of a device
  std::map<std::string, std::string> attributes;  ///< extended ones, with their bytes
  bool operator==(const TreeEntry&) const = default;
};

struct FileTree {
  std::map<std::string, TreeEntry> entries;  ///< by path without the slash at its begin; the root is ""
  std::map<std::string, std::string> texts;  ///< the contents of files that keep_text() names

  /// The text of a file, a link to it followed once; nothing when it was not kept.
  [[nodiscard]] std::optional<std::string> text(const std::string& path) const;
};

/// Reads an archive of any kind that libarchive knows (tar, compressed or not, cpio, zip) as a stream. Extended
/// attributes, ACLs, capabilities and hard links are kept. Throws Error(input) for what is damaged, and for entries
/// that lead out of the tree: a ".." in a name.
[[nodiscard]] FileTree read_archive(int fd, const std::string& name);
[[nodiscard]] FileTree read_archive(const fs::path& file);

/// Reads an ext2, ext3 or ext4 file system that lies at `offset` of a raw image, by libext2fs: no mount, no rights, no
/// guest. Throws Error(input) when it is damaged.
[[nodiscard]] FileTree read_ext(const fs::path& image, std::uint64_t offset);

/// Files whose contents are kept: what tells the system, its packages and their files, and its mounts.
[[nodiscard]] bool keep_text(std::string_view path);

/// Puts `inner` into `tree` at a directory ("boot/efi"), as mounting would.
void graft(FileTree& tree, const std::string& at, const FileTree& inner);

/// "./usr//bin/" as "usr/bin"; nothing when the name leads out of the tree (a ".." in it).
[[nodiscard]] std::optional<std::string> normal_path(std::string_view name);

}  // namespace hearth::builder
