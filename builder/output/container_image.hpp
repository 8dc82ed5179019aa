// The tree as a container image in one file, as `docker load` and `podman load` read it: manifest.json, the image's
// configuration and one layer. Needs no daemon. Source: Docker Image Specification v1.2, "Combined Image JSON +
// Filesystem Changeset Format".
#pragma once

#include <cstdint>
#include <string>

#include "base/path.hpp"

namespace hearth::builder {

struct ContainerImage {
  std::string tag;           ///< REPOSITORY:TAG
  std::string architecture;  ///< Debian's name is the specification's, for the common ones
  std::int64_t epoch = 0;    ///< time of creation, and the latest time that a file may carry
};

/// The JSON document that describes an image of one layer with this SHA-256.
[[nodiscard]] std::string container_config(const ContainerImage& image, const std::string& layer_sha256);

/// Writes `target`; the layer is made below `scratch` first. Equal trees give equal bytes.
void write_container_image(const fs::path& tree, const fs::path& target, const ContainerImage& image,
                           const fs::path& scratch);

}  // namespace hearth::builder
