// Images that an IMAGE.yaml describes (builder/spec/image_description.hpp), as requests: for `hearth image create
// IMAGE.yaml`, `hearth image plan IMAGE.yaml` and diskimage-builder.
#pragma once

#include <string>
#include <vector>

#include "builder/fleet/fleet.hpp"

namespace hearth::builder {

struct DescribedBuild {
  std::vector<std::string> files;
  Environment environment;  ///< the caller's
  fs::path start_directory;
  std::vector<std::string> words = {};  ///< options for all images: how they are built, not what is in them
};

/// Reads and checks all files. Throws for what is wrong in one before anything is built.
[[nodiscard]] std::vector<FleetImage> described_images(const DescribedBuild& described);

/// Whether the operands are descriptions, not elements: existing files whose names end in .yaml or .yml.
[[nodiscard]] bool are_descriptions(const std::vector<std::string>& operands, const fs::path& start_directory);

}  // namespace hearth::builder
