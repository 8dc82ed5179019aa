#pragma once

#include "builder/inspect/image_reader.hpp"

namespace hearth::builder {

/// Reads what user space can't: starts a guest with the disk attached read-only, opens arrays, encrypted volumes (with
/// the keys of `options`, each tried) and volume groups, adds the volumes to `contents.parts`, and reads every file
/// system that has no tree yet.
void read_by_guest(const fs::path& raw, const ReadImageOptions& options, ImageContents& contents);

}  // namespace hearth::builder
