// What a drive does itself to be empty: ATA's security erase, NVMe's format, or sanitize where it has no other. They
// reach what the kernel can't write to: blocks in reserve, and those that were taken out of use.
#pragma once

#include <functional>
#include <string>

#include "agent/deploy/hardware/disks.hpp"
#include "agent/deploy/hardware/drive_commands.hpp"
#include "base/clock.hpp"

namespace hearth::agent::deploy {

/// What the conductor wants (driver_internal_info of the node, names and defaults as ironic-python-agent has them).
struct DriveErase {
  bool ata = true;        ///< agent_enable_ata_secure_erase
  bool nvme = true;       ///< agent_enable_nvme_secure_erase
  bool or_zeros = false;  ///< agent_continue_if_secure_erase_failed (before 2022: …_ata_…): zeros then
};

[[nodiscard]] DriveErase drive_erase_of(const Json& node);

/// Whether the drive says that it has erased itself. False, and said, when it can't or shall not. Throws Error for a
/// drive that should and does not: frozen, protected by another's password, failed.
[[nodiscard]] bool erase_by_drive(const Disk& disk, DriveCommands& drive, const DriveErase& wish, Clock& clock,
                                  const std::function<void(const std::string&)>& say);

}  // namespace hearth::agent::deploy
