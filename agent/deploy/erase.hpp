// Cleaning: what was on the disks is gone.
#pragma once

#include <functional>
#include <string>

#include "agent/deploy/drive_erase.hpp"
#include "agent/deploy/hardware/disks.hpp"

namespace hearth::agent::deploy {

/// Both throw Error: input for a disk that is read-only or in use, io for what the disk refuses.
///
/// Partition tables, file system signatures and RAID labels: the first and the last 4 MiB of the disk and of each
/// partition.
void erase_metadata(const Disk& disk);
/// Everything: the drive erases itself (drive_erase.hpp) where it can; then, unless all that is looked at reads as
/// zeros, by the disk's own secure discard where it has that, else by writing zeros, and some of it is read back.
void erase_all(const Disk& disk, const DriveErase& wish, Clock& clock,
               const std::function<void(const std::string&)>& say);

}  // namespace hearth::agent::deploy
