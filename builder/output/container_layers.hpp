// Which layer of a container image holds which file of the tree. By where a file comes from, as the finished tree says:
// the system's essential packages and what they depend on, the other packages, and the rest. So images of one release
// have their first layer in common, a change of configuration sends only the last one, nothing that a later step
// removed is in any of them, and equal trees give equal layers whatever was taken from a cache.
#pragma once

#include <set>
#include <string>
#include <string_view>
#include <vector>

#include "base/path.hpp"

namespace hearth::builder {

struct ContainerLayer {
  std::string what;  ///< for the image's history
  bool is_last = false;
  std::set<std::string> names;  ///< what it holds, directories on the way included; of the last one: what others hold

  /// By the name below the tree's root. The last layer has every directory.
  [[nodiscard]] bool holds(const std::string& name) const {
    return is_last ? !names.contains(name) : name.empty() || names.contains(name);
  }
};

/// From the lowest to the last one, which there always is. No name of a file with hard links is in another layer than
/// its other names. A tree without dpkg's database is one layer.
[[nodiscard]] std::vector<ContainerLayer> plan_container_layers(const fs::path& tree);

/// Of dpkg's status file: the installed packages that are Essential or of Priority required or important, and all that
/// these depend on.
[[nodiscard]] std::set<std::string> base_packages(std::string_view status);

}  // namespace hearth::builder
