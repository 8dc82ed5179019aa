// The block-device YAML (the field's "block-device-default.yaml") into a DiskLayout. Everything that can be wrong is
// found here, before any package is installed; what is right but not makeable in user space is noted in the layout.
#pragma once

#include <optional>
#include <string>
#include <string_view>

#include "base/result.hpp"
#include "builder/disk/layout/layout.hpp"
#include "builder/yaml/parse_faults.hpp"

namespace hearth::builder {

/// What the file system node called `mkfs_root` takes from the command line where the YAML leaves it out, and what
/// overrides the YAML.
struct LayoutDefaults {
  std::string root_type = "ext4";            ///< --fs-type
  std::string root_options;                  ///< words for mkfs, see root_mkfs_options() in image_size.hpp
  std::string other_root_options;            ///< for a root whose type the YAML says, and it is another
  std::string root_label;                    ///< --root-label; empty = img-rootfs for xfs, else cloudimg-rootfs
  std::optional<std::uint32_t> sector_size;  ///< DIB_BLOCK_SIZE, beats the YAML
};

/// Parses and checks the whole configuration. `source` names it in errors, all at once in the file's order, which give
/// line, column and the path inside the YAML. Unknown keys and unknown file system types are warnings in the layout.
/// Throws Error(usage) for a label of the command line that is too long.
[[nodiscard]] Result<DiskLayout, ParseFaults> parse_block_config(std::string_view text, std::string_view source,
                                                                 const LayoutDefaults& defaults);

/// The configuration used when no element has one: an unpartitioned file-system image mounted at "/".
[[nodiscard]] std::string_view builtin_block_config();

}  // namespace hearth::builder
