// What a site file names, for a bundle: site/ there is the file's directory as it is, with nothing rewritten, so that
// `hearth rehearse site/SITE.yaml` finds everything where the file says.
#pragma once

#include <string>
#include <vector>

#include "bootstrap/bundle/bundle_file.hpp"

namespace hearth::bootstrap::bundle {

struct SiteParts {
  std::string file;             ///< the site file's place in the bundle
  std::vector<Source> sources;  ///< files and directories
  std::vector<std::string> notes;
};

/// The site file; deploy kernel and ramdisk; the image and, where it was made, the seed's, each with what lies beside
/// it (NAME.d, a seed's token); the stack's template and environments with every file that they reach. Throws Error:
/// not_found for what is missing; input for a path that is absolute or leads out of the file's directory, and for what
/// is wrong in the file or in the templates.
[[nodiscard]] SiteParts site_parts(const fs::path& site_file);

}  // namespace hearth::bootstrap::bundle
