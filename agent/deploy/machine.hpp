// The machine that the agent runs on, as a seam: its parts, its firmware, its power.
#pragma once

#include <string>
#include <vector>

#include "agent/deploy/boot/install_grub.hpp"
#include "agent/deploy/hardware/inventory.hpp"
#include "agent/deploy/image/write_image.hpp"

namespace hearth::agent::deploy {

enum class Ending { none, power_off, reboot };

class Machine {
 public:
  virtual ~Machine() = default;
  /// Drivers for what has appeared are loaded first.
  [[nodiscard]] virtual std::vector<Disk> disks() = 0;
  [[nodiscard]] virtual std::vector<Nic> nics() = 0;
  /// ironic-python-agent's inventory.
  [[nodiscard]] virtual Json inventory() = 0;
  [[nodiscard]] virtual Json pci_devices() = 0;
  /// Has the firmware start this disk; returns what was done.
  virtual std::string install_bootloader(const Disk& disk) = 0;
  /// The boot loader of an image that is but a file system (boot/install_grub.hpp); returns what was done.
  virtual std::string install_grub(const GrubWish& wish) = 0;
  /// "vfat", "ext4" …, by the ramdisk's programs.
  virtual void make_file_system(const std::string& type, const std::string& device, const std::string& label) = 0;
  /// An image onto a disk or a partition (image/write_image.hpp).
  virtual WrittenImage write_image(const ImageInfo& image, const std::string& device, WriterWorld& world,
                                   WriteProgress& progress) = 0;
  /// What belongs on the disk behind it (partition/config_drive.hpp).
  virtual std::string finish_partitions(const Disk& disk, const std::string& drive) = 0;
  /// A person can log in as "rescue" from now on (rescue.hpp); `params` are the command's.
  virtual void let_in(const Json& params) = 0;
  /// Does not return on a real machine.
  virtual void end(Ending ending) = 0;
};

}  // namespace hearth::agent::deploy
