// The disks of this machine, as sysfs tells without udev's help.
#pragma once

#include <cstdint>
#include <functional>
#include <string>
#include <vector>

#include "base/json.hpp"
#include "base/sys/file.hpp"

namespace hearth::agent::deploy {

struct Disk {
  std::string name;  ///< "/dev/sda"
  std::string model;
  std::string vendor;
  std::string serial;
  std::string wwn;                   ///< "0x" and 16 digits, or "eui.…"
  std::string wwn_with_extension;    ///< with 32 digits where the disk has that many
  std::string wwn_vendor_extension;  ///< the second half of those
  std::string hctl;                  ///< SCSI address, "0:0:1:0"
  std::string by_path;               ///< "/dev/disk/by-path/pci-0000:00:04.0"
  std::string transport;             ///< nvme, sata, scsi, usb, virtio or empty
  std::uint64_t size = 0;            ///< bytes
  std::uint32_t logical_sector = 512;
  std::uint32_t physical_sector = 512;
  bool rotational = false;
  bool removable = false;
  bool read_only = false;
  bool held = false;  ///< LVM, RAID or multipath sits on top of it
};

/// Where a link leads, as an absolute path; empty when there is no such link.
using LinkReader = std::function<std::string(const std::string&)>;

/// The reader of this machine's links.
[[nodiscard]] std::string read_link(const std::string& path);

/// Sorted by name. Left out: loop, RAM, floppy, optical, device-mapper and network block devices, and what has no size.
[[nodiscard]] std::vector<Disk> find_disks(const FileReader& files, const LinkReader& links);

/// As ironic-python-agent's inventory has it.
[[nodiscard]] Json disk_json(const Disk& disk);

/// The serial number out of a SCSI device's vital product data, page 0x80 (SPC-4 section 7.8.15).
[[nodiscard]] std::string serial_of_page_80(std::string_view page);

}  // namespace hearth::agent::deploy
