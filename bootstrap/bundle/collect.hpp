// What goes into a bundle, by what it is for: files of this machine and their places in the bundle.
//
//   images/      images, each with its NAME.d (manifest, SBOM, provenance, lock)
//   elements/    element trees, each under its own name
//   locks/       lock files, each with its .d (git_answers.hpp); what else they name is in fetched/objects
//   fetched/     recorded fetches, as HEARTH_CACHE has them
//   boot/        kernels, ramdisks, boot loaders
//   packages/    Debian packages that the closed site's machine needs
//   site/        a site file with all that it names (site_parts.hpp); inventory, templates
//   hearth/      Hearth itself: bin/, share/hearth
#pragma once

#include <string>
#include <vector>

#include "base/path.hpp"
#include "bootstrap/bundle/bundle_file.hpp"
#include "builder/hooks/hook_environment.hpp"

namespace hearth::bootstrap::bundle {

struct Contents {
  std::vector<fs::path> images;
  std::vector<fs::path> elements;
  std::vector<fs::path> locks;
  std::vector<fs::path> boot;
  std::vector<fs::path> packages;
  std::vector<fs::path> site;
  std::vector<Source> placed;  ///< files and directories whose places are settled
  fs::path fetched;            ///< directory of the recorded fetches
};

/// Throws Error: not_found for what is not there, input for two things of one name, and for a lock whose objects are
/// not in `fetched` (all of them named, up to ten).
[[nodiscard]] std::vector<Source> collect(const Contents& contents);

/// NAME.d of an image's file; empty where there is none.
[[nodiscard]] fs::path evidence_of(const fs::path& image);

/// Hearth itself, with the field's names for it. Throws Error(not_found).
[[nodiscard]] std::vector<Source> collect_program(const builder::Installation& installation);

}  // namespace hearth::bootstrap::bundle
