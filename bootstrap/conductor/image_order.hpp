// What is known of the image that a node is to get, as an agent is told it (ironic-python-agent's image_info).
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "bootstrap/node/node.hpp"

namespace hearth::bootstrap {

/// Whether it is one file system, for which the agent makes partitions and installs the boot loader: image_type says so
/// or, as in Ironic, a kernel and a ramdisk belong to it.
[[nodiscard]] bool is_partition_image(const Node& node);

/// What write_image is told of the image.
[[nodiscard]] Json image_info(const Node& node);

/// The frames that `hearth image load` has made of an image, at the seed.
struct ImageFrames {
  std::string url;
  std::string root;
};

/// Those of the node's image, by `images`, what is registered; nothing where it is no such image, where the digest that
/// the node was told is another's, where its order has to be the file's (it has a signature), or where its agent may
/// not know frames.
[[nodiscard]] std::optional<ImageFrames> frames_of(const std::vector<Json>& images, const Node& node);
/// The same order, for the frames.
void order_frames(Json& image, const ImageFrames& frames);

/// What is wrong with instance_info, a line each.
[[nodiscard]] std::vector<std::string> image_faults(const Node& node);

}  // namespace hearth::bootstrap
