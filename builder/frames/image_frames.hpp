// The frames of a disk image that is a file of another form.
#pragma once

#include "base/sys/file.hpp"
#include "base/sys/process.hpp"
#include "builder/frames/writer.hpp"

namespace hearth::builder::frames {

/// Whether the file is a disk in itself, of that format (raw or qcow2): neither compressed as a whole, nor one that has
/// its bytes from other files, which whoever made it could have named.
[[nodiscard]] bool is_whole_disk(const fs::path& image, std::string_view format);

/// Writes the frames of the disk that `image` holds into `out`, an empty file. In the folder `scratch` there must be
/// room for the disk's data. Throws Error.
Published write_image_frames(const fs::path& image, const fs::path& scratch, const Fd& out,
                             const PublishOptions& options, CommandRunner& runner);

}  // namespace hearth::builder::frames
