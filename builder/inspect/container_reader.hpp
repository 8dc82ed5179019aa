// Container images: an OCI layout (a directory), and what `docker save` writes, unpacked. Their layers are one tree, as
// a container sees it.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "base/path.hpp"
#include "builder/inspect/file_tree.hpp"

namespace hearth::builder {

struct ContainerContents {
  struct Layer {
    std::string digest;
    std::string made_by;      ///< as the image's history has it; may be empty
    std::uint64_t bytes = 0;  ///< as it lies there
  };
  std::string kind;                                        ///< "oci", "docker"
  std::vector<std::pair<std::string, std::string>> facts;  ///< tag, platform, entrypoint…, in order
  std::vector<Layer> layers;
  FileTree tree;
};

/// Whether the names at the top are those of a container image.
[[nodiscard]] bool is_container(const FileTree& tree);

/// Throws Error(input) where the directory is none, or is damaged.
[[nodiscard]] ContainerContents read_container(const fs::path& directory);

/// Puts a layer over those below it: what it removes (".wh.NAME", ".wh..wh..opq") is gone.
void put_over(FileTree& tree, const FileTree& layer);

}  // namespace hearth::builder
