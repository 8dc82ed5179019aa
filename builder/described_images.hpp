// Building what an IMAGE.yaml describes (builder/spec/image_description.hpp): `hearth image create IMAGE.yaml` and
// diskimage-builder.
#pragma once

#include <functional>
#include <string>
#include <vector>

#include "builder/spec/image_request.hpp"

namespace hearth::builder {

struct DescribedBuild {
  std::vector<std::string> files;
  Environment environment;  ///< the caller's
  fs::path start_directory;
  bool dry_run = false;
  bool stop_on_failure = false;
  std::vector<std::string> words = {};  ///< options for all images: how they are built, not what is in them
};

/// Reads and checks all files, then builds one image after the other; with dry_run only prints their command lines on
/// stderr, as each build does. Returns 0, or the exit code of the last image that failed. Throws for what is wrong in a
/// file before anything is built.
int build_described_images(const DescribedBuild& described, const std::function<int(const ImageRequest&)>& build);

/// Whether the operands are descriptions, not elements: existing files whose names end in .yaml or .yml.
[[nodiscard]] bool are_descriptions(const std::vector<std::string>& operands, const fs::path& start_directory);

}  // namespace hearth::builder
