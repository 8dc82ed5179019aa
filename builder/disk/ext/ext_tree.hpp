// A directory tree as what an ext file system is to hold: read once, each directory's names in bytewise order.
#pragma once

#include <cstdint>
#include <string>
#include <utility>
#include <vector>

#include "base/path.hpp"

namespace hearth::builder {

/// Bytes of a file that are not a hole.
struct DataRange {
  std::uint64_t offset = 0;
  std::uint64_t length = 0;
  bool operator==(const DataRange&) const = default;
};

struct ExtNode {
  std::string path;         ///< below the tree's root; "" for the root itself
  std::string name;         ///< its last part
  std::size_t parent = 0;   ///< index of the directory that it is in
  std::size_t same_as = 0;  ///< index of the first name of this file; its own, but for further hard links
  std::uint32_t mode = 0;   ///< with the type
  std::uint32_t uid = 0;
  std::uint32_t gid = 0;
  std::int64_t mtime_s = 0;
  std::uint64_t device = 0;     ///< of a device node
  std::uint64_t size = 0;       ///< of a file or of a link's text
  std::string link;             ///< text of a symbolic link
  std::vector<DataRange> data;  ///< of a file, in order, their begins on whole blocks
  std::vector<std::pair<std::string, std::string>> attributes;
  std::uint32_t links = 1;            ///< names; of a directory: 2 and one for each directory in it
  std::vector<std::size_t> children;  ///< of a directory, in the order of their names

  [[nodiscard]] bool is_directory() const;
  [[nodiscard]] bool is_file() const;
  [[nodiscard]] bool is_link() const;
};

/// Every node of the tree, directories before what is in them. Sockets are left out: they are of running programs.
/// Throws Error when something can't be read.
[[nodiscard]] std::vector<ExtNode> read_ext_tree(const fs::path& root, std::uint64_t block_size);

}  // namespace hearth::builder
