// A small drive image with the seed's files: ISO 9660 with Joliet and Rock Ridge by libarchive, or FAT by mkfs.vfat and
// mtools.
#pragma once

#include <string>
#include <vector>

#include "base/path.hpp"
#include "base/sys/process.hpp"
#include "metadata/bake/seed_files.hpp"

namespace hearth::metadata {

/// The bytes of an ISO 9660 image. Times are all zero: the same files give the same bytes. `label`: "config-2",
/// "cidata".
[[nodiscard]] std::string iso_image(const std::vector<SeedFile>& files, const std::string& label);

/// A FAT image at `target`, which appears when it is complete.
void write_fat_image(const std::vector<SeedFile>& files, const std::string& label, const fs::path& target,
                     CommandRunner& runner);

}  // namespace hearth::metadata
