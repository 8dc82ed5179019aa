// What hooks wrote beside the image (NAME.initramfs, NAME.d/dib-manifests): they write to a copy of the outputs'
// directory, and what is the image's own is taken from there when no hook runs any more.
#pragma once

#include <set>
#include <string>
#include <vector>

#include "base/path.hpp"

namespace hearth::builder {

/// Brings what lies in `written`, the upper half of hooks' overlay, beside `image`, the stem of the outputs: files and
/// directories named NAME, NAME.x and NAME-x and what is in NAME.d, files without set-uid bits, and takes away what
/// hooks took away. Left out are links, pipes and devices, the builder's own files, `outputs`, a log that is there, and
/// what belongs to another image of the directory (OTHER.d and what lies beside OTHER). Returns a line for each that
/// was left out.
[[nodiscard]] std::vector<std::string> take_hook_files(const fs::path& written, const fs::path& image,
                                                       const std::vector<fs::path>& outputs);

}  // namespace hearth::builder
