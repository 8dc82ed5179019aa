// Values that the data files of elements have conditions for, and images are built with: what can be one at all.
#pragma once

#include <string>
#include <vector>

namespace hearth::builder {

/// By Debian's names, and by those that others have for the same machines.
[[nodiscard]] inline const std::vector<std::string>& known_architectures() {
  static const std::vector<std::string> names = {"amd64",   "arm64",    "armel",   "armhf",   "i386",
                                                 "loong64", "mips64el", "powerpc", "ppc64",   "ppc64el",
                                                 "riscv64", "s390x",    "x86_64",  "aarch64", "ppc64le"};
  return names;
}

/// How an element may be installed (DIB_INSTALLTYPE_…).
[[nodiscard]] inline const std::vector<std::string>& known_install_types() {
  static const std::vector<std::string> names = {"source", "package", "repo", "any"};
  return names;
}

/// What Debian calls the architecture that kernels and others call by this name ("x86_64": "amd64"); else the name.
[[nodiscard]] inline std::string debian_architecture(const std::string& name) {
  if (name == "x86_64") return "amd64";
  if (name == "aarch64") return "arm64";
  return name == "ppc64le" ? "ppc64el" : name;
}

}  // namespace hearth::builder
