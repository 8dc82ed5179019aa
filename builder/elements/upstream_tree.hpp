// diskimage-builder's own elements, where this machine has them: upstream's builder finds them by itself, and scripts
// and elements of others count on that. They are looked for behind ELEMENTS_PATH and Hearth's own.
#pragma once

#include <optional>

#include "base/sys/file.hpp"
#include "base/sys/process.hpp"

namespace hearth::builder {

struct UpstreamTree {
  fs::path elements;   ///< a directory of elements
  bool first = false;  ///< before Hearth's own, so that images are what upstream's builder makes
};

/// HEARTH_UPSTREAM_ELEMENTS: "no", "first" (before Hearth's own) or a directory; else what `hearth element fetch` kept,
/// where Python would find the package: PYTHONPATH, VIRTUAL_ENV, beside the programs in PATH, the user's, the system's;
/// also a checkout that one of those was told of by `pip install -e`. Throws Error for a directory that is not there.
[[nodiscard]] std::optional<UpstreamTree> find_upstream_tree(const FileReader& files, const Environment& environment);

/// Where trees of others are kept for this user: XDG_DATA_HOME or ~/.local/share, hearth/elements.
[[nodiscard]] fs::path kept_trees(const Environment& environment);

}  // namespace hearth::builder
