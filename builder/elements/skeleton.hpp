// A new element's files: small, commented, and in order for lint.
#pragma once

#include <string>
#include <vector>

namespace hearth::builder {

struct SkeletonFile {
  std::string path;  ///< below the element
  std::string text;
  bool is_executable = false;
};

/// Throws Error(usage) for a name that can't be an element's: letters, digits, "-", "_" and "." only.
[[nodiscard]] std::vector<SkeletonFile> element_skeleton(const std::string& name);

}  // namespace hearth::builder
