// What the boot servers are to tell a node's machine: from its state, the stage of its job and its images. Pure.
#pragma once

#include <functional>
#include <optional>

#include "bootstrap/node/node.hpp"
#include "pxe/boot/node.hpp"

namespace hearth::bootstrap {

/// A registered image by its name: {"kernel": path, "ramdisk": path, …}; nothing when there is none.
using ImageBook = std::function<std::optional<Json>(const std::string&)>;

/// `agent_url`: where ramdisks find the conductor ("http://192.0.2.1:6385").
///
/// Machines get the ramdisk while a job of theirs wants it, and in the state rescue; their disk whenever else. So a
/// machine that boots from the network for ever is never installed twice.
[[nodiscard]] pxe::Node boot_wish(const Node& node, const std::string& agent_url, const ImageBook& images);

/// driver_info's word for a kernel or ramdisk as a file or URL: itself, or what the image of that name has under
/// `part`.
[[nodiscard]] std::string resolved_image(const std::string& word, const char* part, const ImageBook& images);

}  // namespace hearth::bootstrap
