// The config drive: a small file system labelled config-2 from which an instance configures itself at its first boot.
#pragma once

#include <cstdint>
#include <string>

#include "base/clock.hpp"
#include "base/net/http.hpp"

namespace hearth::agent::deploy {

/// The file system's bytes out of what the conductor sent: Base64 of gzip, or a URL where that (or the bare file
/// system) lies. Throws Error(input).
[[nodiscard]] std::string config_drive_bytes(const std::string& value, HttpClient& http, const Clock& clock,
                                             bool verify_tls);

/// Lets the partition table of the freshly written disk `name` reach to its end and, unless `drive` is empty, puts the
/// config drive into a partition of its own there, or into one that the image has for it. Returns that partition's
/// device, empty without. Throws Error: input when there is no room.
[[nodiscard]] std::string finish_partitions(const std::string& name, std::uint32_t sector, const std::string& drive);

/// "/dev/sda", 3 → "/dev/sda3"; "/dev/nvme0n1", 3 → "/dev/nvme0n1p3".
[[nodiscard]] std::string partition_path(const std::string& disk, std::uint32_t number);

}  // namespace hearth::agent::deploy
