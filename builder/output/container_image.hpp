// The tree as a container image, without a daemon: as `docker load` and `podman load` read it, or as an
// OCI layout. Sources: Docker Image Specification v1.2, "Combined Image JSON + Filesystem Changeset Format"; OCI Image
// Format Specification 1.0 (image-layout.md, manifest.md, config.md).
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "base/hash.hpp"
#include "base/path.hpp"
#include "builder/output/container_config.hpp"

namespace hearth::builder {

struct ContainerImage {
  std::string tag;           ///< REPOSITORY:TAG; for OCI it may be empty
  std::string architecture;  ///< Debian's name
  std::int64_t epoch = 0;    ///< time of creation, and the latest time that a file may carry
  std::vector<HashKind> checksums = {};
  ContainerConfig config = {};
};

/// Writes `target` for docker load; the layers are made below `scratch` first. Equal trees give equal bytes.
void write_container_image(const fs::path& tree, const fs::path& target, const ContainerImage& image,
                           const fs::path& scratch);

/// Writes the directory `target` as an OCI layout, its layers compressed by gzip. The directory appears complete and
/// synced, or not at all; one that was there gets the name `kept`, or is removed where that is empty. There are no
/// checksum files: every blob is named by its digest. Only one process may write the same `target` at a time.
void write_oci_layout(const fs::path& tree, const fs::path& target, const ContainerImage& image,
                      const fs::path& kept = {});

/// Writes `target` as a tar of the same layout (podman's and skopeo's oci-archive).
void write_oci_archive(const fs::path& tree, const fs::path& target, const ContainerImage& image,
                       const fs::path& scratch);

}  // namespace hearth::builder
