#include "agent/deploy/drive_erase.hpp"

#include "base/byte_order.hpp"
#include "base/error.hpp"
#include "base/text.hpp"

namespace hearth::agent::deploy {

namespace {

using Say = std::function<void(const std::string&)>;

constexpr std::uint8_t k_set_password = 0xf1;
constexpr std::uint8_t k_unlock = 0xf2;
constexpr std::uint8_t k_erase_prepare = 0xf3;
constexpr std::uint8_t k_erase_unit = 0xf4;
constexpr std::uint8_t k_disable_password = 0xf6;
constexpr std::chrono::seconds k_soon(15);
constexpr std::chrono::hours k_erasing(48);  // 20 TB of platters take a day
constexpr std::chrono::seconds k_sanitize_pause(5);
constexpr unsigned k_sanitized = 1;  // states of NVMe's log page
constexpr unsigned k_sanitizing = 2;
constexpr unsigned k_sanitized_allocated = 4;
constexpr const char* k_nvme_otherwise =
    "Set the conductor's enable_nvme_secure_erase to false, or continue_if_disk_secure_erase_failed, and\nzeros are "
    "written.";

/// Ours is the empty one, by which a later try or a person with hdparm gets on ("NULL" there).
const std::string k_password(DriveCommands::k_ata_block, 0);

/// Word 128 of IDENTIFY DEVICE.
struct Security {
  bool supported = false;
  bool enabled = false;
  bool locked = false;
  bool frozen = false;
  bool enhanced = false;
};

Security security_of(DriveCommands& drive) {
  const auto word = get_le<std::uint16_t>(drive.ata_identify(), 256);
  return {.supported = (word & 1U) != 0,
          .enabled = (word & 2U) != 0,
          .locked = (word & 4U) != 0,
          .frozen = (word & 8U) != 0,
          .enhanced = (word & 32U) != 0};
}

/// Takes away the protection that an erase left which was cut short.
void take_password_away(DriveCommands& drive, bool locked) {
  if (locked) drive.ata(k_unlock, k_password, k_soon);
  drive.ata(k_disable_password, k_password, k_soon);
}

void check_frozen(const Disk& disk, const Security& security) {
  if (!security.frozen) return;
  throw Error(ErrorKind::input,
              cat(disk.name, ": the firmware has frozen the drive's security, so that it can't erase itself"))
      .hint(
          "Have the firmware leave it open, or plug the drive in when the machine runs; or set the conductor's\n"
          "continue_if_disk_secure_erase_failed, and zeros are written.");
}

void check_unprotected(const Disk& disk, DriveCommands& drive, const Security& security) {
  if (!security.enabled) return;
  try {
    take_password_away(drive, security.locked);
  } catch (const Error&) {
    throw Error(ErrorKind::input, cat(disk.name, " is protected by a password that is not ours: it can't be erased"))
        .hint("Take the password away with who has set it (hdparm --security-disable).");
  }
}

/// The drive must not stay protected by our password, or nothing could be written to it.
void erase_unit(DriveCommands& drive, bool enhanced) {
  std::string block = k_password;
  if (enhanced) block[0] = 2;
  try {
    drive.ata(k_erase_prepare, "", k_soon);
    drive.ata(k_erase_unit, block, k_erasing);
  } catch (const Error&) {
    try {
      take_password_away(drive, security_of(drive).locked);
    } catch (const Error&) {  // the first error tells more
    }
    throw;
  }
}

bool erase_ata(const Disk& disk, DriveCommands& drive, const Say& say) {
  Security security;
  try {
    security = security_of(drive);
  } catch (const Error& error) {
    say(cat(error.what(), ": the drive can't erase itself"));
    return false;
  }
  if (!security.supported) {
    say(cat(disk.name, " has no ATA security: it can't erase itself"));
    return false;
  }
  check_frozen(disk, security);
  check_unprotected(disk, drive, security);
  say(cat(disk.name, " erases itself (ATA security erase", security.enhanced ? ", enhanced)" : ")"));
  drive.ata(k_set_password, k_password, k_soon);
  erase_unit(drive, security.enhanced);
  if (security_of(drive).enabled) {
    throw Error(ErrorKind::io, cat(disk.name, ": the drive says that it has erased itself, but it is still protected"));
  }
  return true;
}

/// Keeps the format of the blocks and of their metadata.
std::uint32_t format_word(const std::string& space, bool crypto) {
  const std::uint32_t format = get_le<std::uint8_t>(space, 26);
  const std::uint32_t protection = get_le<std::uint8_t>(space, 29);
  return (format & 0xfU) | (format >> 4U & 1U) << 4U | (protection & 7U) << 5U | (protection >> 3U & 1U) << 8U |
         (crypto ? 2U : 1U) << 9U | (format >> 5U & 3U) << 12U;
}

/// Sanitize's action for this drive: a new key, else all blocks erased, else overwritten once; 0 when it has none.
std::uint32_t sanitize_action(const std::string& controller) {
  const auto can = get_le<std::uint32_t>(controller, 328);
  return (can & 1U) != 0 ? 4 : (can & 2U) != 0 ? 2 : (can & 4U) != 0 ? 3 : 0;
}

/// Sanitizing goes on while nobody waits for it, after a new start of the machine, too.
void wait_for_sanitize(const Disk& disk, DriveCommands& drive, Clock& clock) {
  const Deadline deadline = Deadline::after(k_erasing, clock);
  while (true) {
    const unsigned state = get_le<std::uint16_t>(drive.nvme_sanitize_status(), 2) & 7U;
    if (state == k_sanitized || state == k_sanitized_allocated) return;
    if (state != k_sanitizing || deadline.passed(clock.now())) {
      throw Error(ErrorKind::io, cat(disk.name, ": the drive says that sanitizing has ",
                                     state == k_sanitizing ? "not ended in two days" : "failed"))
          .hint("Until it has succeeded the drive may refuse to be read and written. Replace the disk, or destroy it.");
    }
    clock.sleep(k_sanitize_pause);
  }
}

/// For what reaches every namespace of the drive: those that are other disks here must not go with this one.
void check_alone(const Disk& disk, DriveCommands& drive) {
  if (get_le<std::uint32_t>(drive.nvme_spaces(), 4) == 0) return;
  throw Error(ErrorKind::unsupported,
              cat(disk.name, ": the drive can only erase all of its namespaces, and it has others"))
      .hint(k_nvme_otherwise);
}

void sanitize(const Disk& disk, DriveCommands& drive, std::uint32_t action, Clock& clock, const Say& say) {
  check_alone(disk, drive);
  if ((get_le<std::uint16_t>(drive.nvme_sanitize_status(), 2) & 7U) != k_sanitizing) {
    const char* how = action == 4 ? "new key" : action == 2 ? "all blocks" : "overwritten";
    say(cat(disk.name, " erases itself (NVMe sanitize, ", how, ")"));
    drive.nvme_sanitize(action | (action == 3 ? 1U << 4U : 0U));
  } else {
    say(cat(disk.name, " is still erasing itself (NVMe sanitize)"));
  }
  wait_for_sanitize(disk, drive, clock);
}

void format_nvme(const Disk& disk, DriveCommands& drive, const std::string& controller, const Say& say) {
  const auto attributes = get_le<std::uint8_t>(controller, 524);
  const bool crypto = (attributes & 4U) != 0;
  if ((attributes & 3U) != 0) check_alone(disk, drive);  // 1: formats all namespaces at once, 2: erases them so
  say(cat(disk.name, " erases itself (NVMe format", crypto ? ", new key)" : ", all blocks)"));
  const std::uint32_t space = drive.nvme_space();
  drive.nvme_format(space, format_word(drive.nvme_identify(space), crypto), k_erasing);
}

bool erase_nvme(const Disk& disk, DriveCommands& drive, Clock& clock, const Say& say) {
  const std::string controller = drive.nvme_identify(0);
  const bool formats = (get_le<std::uint16_t>(controller, 256) & 2U) != 0;
  const std::uint32_t action = sanitize_action(controller);
  if (!formats && action == 0) {
    throw Error(ErrorKind::unsupported,
                cat(disk.name, ": the drive has neither Format NVM nor Sanitize, so that it can't erase itself"))
        .hint(k_nvme_otherwise);
  }
  try {
    if (formats) {
      format_nvme(disk, drive, controller, say);
      return true;
    }
  } catch (const Error& error) {
    if (action == 0) throw;
    say(cat(error.what(), "; sanitizing instead"));
  }
  sanitize(disk, drive, action, clock, say);
  return true;
}

bool flag(const Json& info, const char* name, bool otherwise) {
  const auto found = info.find(name);
  return found != info.end() && found->is_boolean() ? found->get<bool>() : otherwise;
}

}  // namespace

DriveErase drive_erase_of(const Json& node) {
  const Json info = object_member(node, "driver_internal_info");
  return {.ata = flag(info, "agent_enable_ata_secure_erase", true),
          .nvme = flag(info, "agent_enable_nvme_secure_erase", true),
          .or_zeros = flag(info, "agent_continue_if_secure_erase_failed",
                           flag(info, "agent_continue_if_ata_erase_failed", false))};
}

bool erase_by_drive(const Disk& disk, DriveCommands& drive, const DriveErase& wish, Clock& clock, const Say& say) {
  const bool nvme = disk.transport == "nvme";
  const bool ata = !nvme && disk.vendor == "ATA";  // as the kernel and SAS controllers call such a drive
  if (!nvme && !ata) return false;
  if (nvme ? !wish.nvme : !wish.ata) {
    say(cat(disk.name, " shall not erase itself"));
    return false;
  }
  try {
    return nvme ? erase_nvme(disk, drive, clock, say) : erase_ata(disk, drive, say);
  } catch (const Error& error) {
    if (!wish.or_zeros) throw;
    say(cat(error.what(), "; going on with zeros"));
    return false;
  }
}

}  // namespace hearth::agent::deploy
