// The config drive: a small file system, labelled config-2, that a cloud attaches with the metadata inside.
#pragma once

#include <optional>
#include <string>
#include <string_view>

#include "agent/collect/source.hpp"

namespace hearth::agent {

/// The first device that `blkid -o export` reports with LABEL config-2 and TYPE vfat or iso9660. Its output is blocks
/// of KEY=value lines, separated by empty lines, with backslashes before special characters.
[[nodiscard]] std::optional<std::string> config_drive_device(std::string_view blkid_export);

/// Where /proc/mounts says that `device` is mounted.
[[nodiscard]] std::optional<std::string> mount_point_of(const std::string& device, std::string_view mounts);

/// ec2/latest/meta-data.json of the drive, which is mounted read-only for the purpose where it isn't yet. Nothing when
/// there is no drive, or with a warning when it can't be read.
[[nodiscard]] std::optional<Json> config_drive_metadata(const SourceContext& context);

}  // namespace hearth::agent
