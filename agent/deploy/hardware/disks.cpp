#include "agent/deploy/hardware/disks.hpp"

#include <algorithm>
#include <array>

#include "base/text.hpp"

namespace hearth::agent::deploy {

namespace {

const std::string k_sys_block = "/sys/block";

/// One disk's directory in sysfs.
class Folder {
 public:
  Folder(const FileReader& files, const LinkReader& links, const std::string& name)
      : files_(files), path_(k_sys_block + "/" + name), device_(links(path_)) {}

  /// Empty where there is no such file, or where the device has no such property (reading fails then).
  [[nodiscard]] std::string text(const std::string& name) const { return text_of(path_ + "/" + name); }
  [[nodiscard]] std::uint64_t number(const std::string& name) const { return parse_number(text(name)).value_or(0); }
  [[nodiscard]] std::vector<std::string> names(const std::string& name) const {
    return files_.list(name.empty() ? path_ : path_ + "/" + name);
  }
  /// Where the kernel has it in its tree of devices: "/sys/devices/pci0000:00/…".
  [[nodiscard]] const std::string& device() const { return device_; }
  [[nodiscard]] std::string parent_text(const std::string& directory, const std::string& name) const {
    return text_of(directory + "/" + name);
  }

 private:
  [[nodiscard]] std::string text_of(const std::string& path) const {
    try {
      return std::string(trim(files_.read(path).value_or("")));
    } catch (const Error&) {
      return "";
    }
  }

  const FileReader& files_;
  std::string path_;
  std::string device_;
};

bool is_disk_name(const std::string& name) {
  constexpr std::array others = {"loop", "ram", "zram", "fd", "sr", "dm-", "md", "nbd", "rbd", "drbd", "mtdblock"};
  return std::none_of(others.begin(), others.end(), [&name](const char* other) { return name.rfind(other, 0) == 0; });
}

std::string transport_of(const std::string& device) {
  for (const char* kind : {"nvme", "usb", "virtio"}) {
    if (device.find(cat("/", kind)) != std::string::npos) return kind;
  }
  if (device.find("/ata") != std::string::npos) return "sata";
  return device.find("/target") != std::string::npos ? "scsi" : "";
}

/// The WWN of a SCSI disk out of "naa.5000c500a1b2c3d4", or as NVMe has it.
void set_wwn(Disk& disk, const std::string& wwid) {
  if (wwid.rfind("eui.", 0) == 0) {
    disk.wwn = wwid;
    disk.wwn_with_extension = wwid;
  } else if (wwid.rfind("naa.", 0) == 0) {
    const std::string digits = to_lower(wwid.substr(4));
    disk.wwn = cat("0x", digits.substr(0, 16));
    disk.wwn_with_extension = cat("0x", digits);
    if (digits.size() > 16) disk.wwn_vendor_extension = cat("0x", digits.substr(16));
  }
}

bool is_pci_address(std::string_view text) {
  return text.size() == 12 && text[4] == ':' && text[7] == ':' && text[10] == '.';
}

/// The name that udev gives below /dev/disk/by-path (systemd, udev-builtin-path_id.c); empty where that is not simple.
std::string by_path_of(const Folder& folder, const std::string& name) {
  const std::vector<std::string> parts = split(folder.device(), '/');
  std::string pci;
  std::string ata;
  std::string prefix;
  for (const std::string& part : parts) {
    prefix += part.empty() ? "" : cat("/", part);
    if (is_pci_address(part)) pci = part;
    if (part.rfind("ata", 0) == 0) ata = folder.parent_text(cat(prefix, "/ata_port/", part), "port_no");
  }
  if (pci.empty()) return "";
  std::string base = cat("/dev/disk/by-path/pci-", pci);
  const std::string transport = transport_of(folder.device());
  if (transport == "virtio" && name.rfind("vd", 0) == 0) return base;
  if (transport == "nvme") return cat(base, "-nvme-", folder.text("nsid"));
  return transport == "sata" && !ata.empty() ? cat(base, "-ata-", ata) : "";
}

std::string first_of(std::initializer_list<std::string> texts) {
  for (const std::string& text : texts) {
    if (!text.empty()) return text;
  }
  return "";
}

Disk read_disk(const Folder& folder, const std::string& name) {
  Disk disk{.name = cat("/dev/", name)};
  disk.model = folder.text("device/model");
  disk.vendor = folder.text("device/vendor");
  disk.serial = first_of(
      {folder.text("serial"), folder.text("device/serial"), serial_of_page_80(folder.text("device/vpd_pg80"))});
  set_wwn(disk, first_of({folder.text("wwid"), folder.text("device/wwid")}));
  const std::vector<std::string> addresses = folder.names("device/scsi_device");
  if (!addresses.empty()) disk.hctl = addresses.front();
  disk.by_path = by_path_of(folder, name);
  disk.transport = transport_of(folder.device());
  disk.size = folder.number("size") * 512;
  disk.logical_sector =
      static_cast<std::uint32_t>(std::max<std::uint64_t>(folder.number("queue/logical_block_size"), 512));
  disk.physical_sector =
      static_cast<std::uint32_t>(std::max<std::uint64_t>(folder.number("queue/physical_block_size"), 512));
  disk.rotational = folder.number("queue/rotational") != 0;
  disk.removable = folder.number("removable") != 0;
  disk.read_only = folder.number("ro") != 0;
  disk.held = !folder.names("holders").empty();
  for (const std::string& part : folder.names("")) {  // RAID of partitions, an LVM that has one
    if (part.rfind(name, 0) == 0) disk.held = disk.held || !folder.names(cat(part, "/holders")).empty();
  }
  return disk;
}

Json or_null(const std::string& text) { return text.empty() ? Json(nullptr) : Json(text); }

}  // namespace

std::string serial_of_page_80(std::string_view page) {
  if (page.size() < 4 || static_cast<unsigned char>(page[1]) != 0x80) return "";
  return std::string(trim(page.substr(4, static_cast<unsigned char>(page[3]))));
}

std::string read_link(const std::string& path) {
  boost::system::error_code error;
  const fs::path target = fs::canonical(path, error);
  return error ? "" : target.string();
}

std::vector<Disk> find_disks(const FileReader& files, const LinkReader& links) {
  std::vector<Disk> disks;
  for (const std::string& name : files.list(k_sys_block)) {
    if (!is_disk_name(name)) continue;
    const Folder folder(files, links, name);
    if (folder.number("hidden") != 0) continue;  // a path of an NVMe disk with several: it has no device file
    Disk disk = read_disk(folder, name);
    if (disk.size > 0) disks.push_back(std::move(disk));
  }
  return disks;
}

Json disk_json(const Disk& disk) {
  return {{"name", disk.name},
          {"model", disk.model},
          {"size", disk.size},
          {"rotational", disk.rotational},
          {"wwn", or_null(disk.wwn)},
          {"serial", or_null(disk.serial)},
          {"vendor", or_null(disk.vendor)},
          {"wwn_with_extension", or_null(disk.wwn_with_extension)},
          {"wwn_vendor_extension", or_null(disk.wwn_vendor_extension)},
          {"hctl", or_null(disk.hctl)},
          {"by_path", or_null(disk.by_path)},
          {"tran", or_null(disk.transport)},
          {"logical_sectors", disk.logical_sector},
          {"physical_sectors", disk.physical_sector}};
}

}  // namespace hearth::agent::deploy
