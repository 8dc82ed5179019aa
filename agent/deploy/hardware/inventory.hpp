// What this machine is made of, as ironic-python-agent's inventory tells it.
#pragma once

#include <string>
#include <vector>

#include "agent/deploy/hardware/disks.hpp"
#include "base/json.hpp"
#include "base/sys/file.hpp"

namespace hearth::agent::deploy {

struct Nic {
  std::string name;
  std::string mac;
  std::string ipv4;  ///< empty = none
  std::string ipv6;
  std::string vendor;  ///< PCI ids, "0x1af4"
  std::string product;
  std::string driver;
  std::string pci_address;
  bool has_carrier = false;
  int speed_mbps = -1;
  Json lldp = nullptr;  ///< [[type, hexadecimal value]…]; null = nothing was heard
};

struct Processors {
  std::string model_name;
  std::string frequency;  ///< MHz
  std::string architecture;
  int count = 0;
  int sockets = 0;
  std::vector<std::string> flags;
};

/// Real network interfaces: those with a device behind them. Addresses are not filled in.
[[nodiscard]] std::vector<Nic> find_nics(const FileReader& files, const LinkReader& links);
/// Fills in the addresses that the kernel has (getifaddrs(3)).
void add_addresses(std::vector<Nic>& nics);

/// `cpuinfo` is /proc/cpuinfo.
[[nodiscard]] Processors parse_cpuinfo(std::string_view cpuinfo, std::string architecture);
/// MiB of memory that is plugged in, by SMBIOS (table 17); 0 when the firmware does not tell.
[[nodiscard]] std::uint64_t physical_memory_mb(const FileReader& files);

/// Where the machine's parts were read.
struct InventorySources {
  const FileReader& files;
  LinkReader links;
  std::string boot_mac;     ///< the interface that the machine booted from
  std::string bmc_address;  ///< empty = none
  std::string hostname;
};

[[nodiscard]] Json inventory_json(const InventorySources& sources, const std::vector<Nic>& nics,
                                  const std::vector<Disk>& disks);

/// PCI devices: [{vendor_id, product_id, class, revision, bus}…].
[[nodiscard]] Json pci_devices_json(const FileReader& files);

}  // namespace hearth::agent::deploy
