// The boot loaders' files, from Debian's packages: which names they are served under, where they lie.
#pragma once

#include <map>
#include <string>
#include <vector>

#include "base/sys/file.hpp"
#include "pxe/boot/site.hpp"

namespace hearth::pxe {

struct BootFile {
  std::string name;     ///< as it is served
  std::string path;     ///< where the package puts it
  std::string package;  ///< Debian's
};
[[nodiscard]] const std::vector<BootFile>& boot_files();

struct FoundFiles {
  std::map<std::string, std::string> paths;  ///< by name
  std::vector<std::string> missing;          ///< "undionly.kpxe (package ipxe)"
};
/// Looks for each below `prefix` (empty: this machine's root).
[[nodiscard]] FoundFiles find_boot_files(const FileReader& files, const std::string& prefix = {});

/// What this site can't do without the files that are missing, a line each; also kernels and ramdisks that are not
/// there. Empty when all is well.
[[nodiscard]] std::vector<std::string> check_files(const Site& site, const FoundFiles& found, const FileReader& files);

}  // namespace hearth::pxe
