// What hooks left in a temporary directory may be meant for later hooks, so layers hold it. Of a copy of a directory of
// the machine (an overlay) that is what lies in its upper directory: files, and marks of what was removed.
#pragma once

#include <string>

#include "base/path.hpp"

namespace hearth::builder {

struct ScratchPlace {
  fs::path directory;  ///< as hooks see it
  fs::path written;    ///< where what they write there lies; the directory itself where it is no copy
};

/// Packs what was written into `file`; makes none where nothing was. As a file, since in a tree that is itself an
/// overlay's the marks would be that one's.
void save_scratch(const ScratchPlace& place, const fs::path& file);

/// Does again to the directory what was done when `file` was saved; nothing where there is none. It is done through the
/// overlay: that knows names that somebody has asked for already, and would not see what appears below it. Works in
/// `room`, a directory on no overlay, which is made and removed.
void bring_back_scratch(const ScratchPlace& place, const fs::path& file, const fs::path& room);

}  // namespace hearth::builder
