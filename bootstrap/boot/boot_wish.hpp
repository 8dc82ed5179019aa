// What the boot servers are to tell a node's machine: from its state, the stage of its job and its images. Pure.
#pragma once

#include <functional>
#include <optional>

#include "bootstrap/node/node.hpp"
#include "pxe/boot/node.hpp"

namespace hearth::bootstrap {

/// A registered image by its name: {"kernel": path, "ramdisk": path, …}; nothing when there is none.
using ImageBook = std::function<std::optional<Json>(const std::string&)>;

/// Where ramdisks find the conductor.
struct AgentFace {
  std::string url;  ///< "https://192.0.2.1:6385"
  std::string pin;  ///< of its key (TlsPeer::pin); empty: it is plain, or somebody else's

  /// For the kernel command line; the pin goes first, so that a line that is cut off asks for no less trust.
  /// ironic-python-agent knows no pin: nobody can overhear it, but it can be misled, unless its image trusts the
  /// certificate and `kernel_append_params` says so behind these (ipa-insecure=0).
  [[nodiscard]] std::string words() const;
};

/// Machines get the ramdisk while a job of theirs wants it, and in the state rescue; their disk whenever else. So a
/// machine that boots from the network for ever is never installed twice.
[[nodiscard]] pxe::Node boot_wish(const Node& node, const AgentFace& conductor, const ImageBook& images);

/// driver_info's word for a kernel or ramdisk as a file or URL: itself, or what the image of that name has under
/// `part`.
[[nodiscard]] std::string resolved_image(const std::string& word, const char* part, const ImageBook& images);

}  // namespace hearth::bootstrap
