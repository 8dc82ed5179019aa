#include "agent/deploy/hardware/inventory.hpp"

#include <arpa/inet.h>
#include <ifaddrs.h>
#include <net/if.h>
#include <sys/utsname.h>

#include <algorithm>
#include <array>
#include <memory>
#include <set>

#include "base/text.hpp"

namespace hearth::agent::deploy {

namespace {

std::string line_of(const FileReader& files, const std::string& path) {
  try {
    return std::string(trim(files.read(path).value_or("")));
  } catch (const Error&) {
    return "";  // such as the carrier of an interface that is down
  }
}

std::string name_of(const std::string& path) { return path.substr(path.rfind('/') + 1); }

Json text_or_null(const std::string& text) { return text.empty() ? Json(nullptr) : Json(text); }

Json nic_json(const Nic& nic) {
  return {{"name", nic.name},
          {"mac_address", nic.mac},
          {"ipv4_address", text_or_null(nic.ipv4)},
          {"ipv6_address", text_or_null(nic.ipv6)},
          {"has_carrier", nic.has_carrier},
          {"lldp", nic.lldp},
          {"vendor", text_or_null(nic.vendor)},
          {"product", text_or_null(nic.product)},
          {"client_id", nullptr},
          {"biosdevname", nullptr},
          {"speed_mbps", nic.speed_mbps > 0 ? Json(nic.speed_mbps) : Json(nullptr)},
          {"pci_address", text_or_null(nic.pci_address)},
          {"driver", text_or_null(nic.driver)}};
}

Json cpu_json(const Processors& cpu) {
  return {{"model_name", cpu.model_name}, {"frequency", text_or_null(cpu.frequency)},
          {"count", cpu.count},           {"architecture", cpu.architecture},
          {"flags", cpu.flags},           {"socket_count", cpu.sockets}};
}

Json memory_json(const FileReader& files) {
  std::uint64_t total = 0;
  for (const std::string& line : split_lines(files.read("/proc/meminfo").value_or(""))) {
    const std::vector<std::string> words = split_words(line);
    if (words.size() > 1 && words[0] == "MemTotal:") total = parse_number(words[1]).value_or(0) * 1024;
  }
  const std::uint64_t physical = physical_memory_mb(files);
  return {{"total", total}, {"physical_mb", physical > 0 ? physical : total >> 20U}};
}

Json vendor_json(const FileReader& files) {
  const auto dmi = [&files](const char* name) { return line_of(files, cat("/sys/class/dmi/id/", name)); };
  return {{"product_name", dmi("product_name")},
          {"serial_number", dmi("product_serial")},
          {"manufacturer", dmi("sys_vendor")},
          {"firmware",
           {{"vendor", dmi("bios_vendor")}, {"version", dmi("bios_version")}, {"build_date", dmi("bios_date")}}}};
}

}  // namespace

std::vector<Nic> find_nics(const FileReader& files, const LinkReader& links) {
  std::vector<Nic> nics;
  for (const std::string& name : files.list("/sys/class/net")) {
    const std::string folder = cat("/sys/class/net/", name);
    const std::string device = links(cat(folder, "/device"));
    if (device.empty()) continue;
    // A bond's ports all have its address, but a conductor knows them by their own.
    const std::string own = line_of(files, cat(folder, "/bonding_slave/perm_hwaddr"));
    Nic nic{.name = name, .mac = to_lower(own.empty() ? line_of(files, cat(folder, "/address")) : own)};
    nic.vendor = line_of(files, cat(folder, "/device/vendor"));
    nic.product = line_of(files, cat(folder, "/device/device"));
    nic.driver = name_of(links(cat(folder, "/device/driver")));
    nic.has_carrier = line_of(files, cat(folder, "/carrier")) == "1";
    nic.speed_mbps = static_cast<int>(parse_number(line_of(files, cat(folder, "/speed"))).value_or(0));
    for (const std::string& part : split(device, '/')) {
      if (part.size() == 12 && part[4] == ':' && part[10] == '.') nic.pci_address = part;
    }
    if (!nic.mac.empty()) nics.push_back(std::move(nic));
  }
  return nics;
}

void add_addresses(std::vector<Nic>& nics) {
  ifaddrs* list = nullptr;
  if (::getifaddrs(&list) != 0) return;
  const std::unique_ptr<ifaddrs, decltype(&::freeifaddrs)> owner(list, &::freeifaddrs);
  for (const ifaddrs* entry = list; entry != nullptr; entry = entry->ifa_next) {
    const auto nic =
        std::find_if(nics.begin(), nics.end(), [entry](const Nic& one) { return one.name == entry->ifa_name; });
    if (nic == nics.end() || entry->ifa_addr == nullptr) continue;
    std::array<char, INET6_ADDRSTRLEN> text{};
    if (entry->ifa_addr->sa_family == AF_INET) {
      const auto* address = reinterpret_cast<const sockaddr_in*>(entry->ifa_addr);
      nic->ipv4 = ::inet_ntop(AF_INET, &address->sin_addr, text.data(), text.size());
    } else if (entry->ifa_addr->sa_family == AF_INET6 && nic->ipv6.empty()) {
      const auto* address = reinterpret_cast<const sockaddr_in6*>(entry->ifa_addr);
      nic->ipv6 = ::inet_ntop(AF_INET6, &address->sin6_addr, text.data(), text.size());
      if (IN6_IS_ADDR_LINKLOCAL(&address->sin6_addr)) nic->ipv6 += cat("%", nic->name);
    }
  }
}

Processors parse_cpuinfo(std::string_view cpuinfo, std::string architecture) {
  Processors cpu{.architecture = std::move(architecture)};
  std::set<std::string> sockets;
  for (const std::string& line : split_lines(cpuinfo)) {
    const std::size_t colon = line.find(':');
    if (colon == std::string::npos) continue;
    const std::string key(trim(std::string_view(line).substr(0, colon)));
    const std::string value(trim(std::string_view(line).substr(colon + 1)));
    if (key == "processor") ++cpu.count;
    if (key == "model name") cpu.model_name = value;
    if (key == "cpu MHz" && cpu.frequency.empty()) cpu.frequency = value;
    if (key == "physical id") sockets.insert(value);
    if ((key == "flags" || key == "Features") && cpu.flags.empty()) cpu.flags = split_words(value);
  }
  cpu.sockets = std::max(1, static_cast<int>(sockets.size()));
  return cpu;
}

std::uint64_t physical_memory_mb(const FileReader& files) {
  std::uint64_t total = 0;
  for (const std::string& name : files.list("/sys/firmware/dmi/entries")) {
    if (name.rfind("17-", 0) != 0) continue;
    const std::string raw = files.read(cat("/sys/firmware/dmi/entries/", name, "/raw")).value_or("");
    const auto byte = [&raw](std::size_t at) { return std::uint64_t{static_cast<unsigned char>(raw[at])}; };
    if (raw.size() < 0x0e) continue;  // SMBIOS 3.4 section 7.18: the size is at 0x0c, in full at 0x1c
    const std::uint64_t size = byte(0x0c) | byte(0x0d) << 8U;
    if (size == 0xffff) continue;
    if (size == 0x7fff && raw.size() >= 0x20) {
      total += byte(0x1c) | byte(0x1d) << 8U | byte(0x1e) << 16U | (byte(0x1f) & 0x7fU) << 24U;
    } else {
      total += (size & 0x8000) != 0 ? (size & 0x7fff) / 1024 : size;
    }
  }
  return total;
}

Json inventory_json(const InventorySources& sources, const std::vector<Nic>& nics, const std::vector<Disk>& disks) {
  utsname kernel{};
  ::uname(&kernel);
  const FileReader& files = sources.files;
  Json inventory = {{"interfaces", Json::array()},
                    {"cpu", cpu_json(parse_cpuinfo(files.read("/proc/cpuinfo").value_or(""), kernel.machine))},
                    {"disks", Json::array()},
                    {"memory", memory_json(files)},
                    {"bmc_address", sources.bmc_address.empty() ? "0.0.0.0" : sources.bmc_address},
                    {"bmc_v6address", "::/0"},
                    {"system_vendor", vendor_json(files)}};
  for (const Nic& nic : nics) inventory["interfaces"].push_back(nic_json(nic));
  for (const Disk& disk : disks) inventory["disks"].push_back(disk_json(disk));
  inventory["boot"] = {{"current_boot_mode", files.status("/sys/firmware/efi") ? "uefi" : "bios"},
                       {"pxe_interface", text_or_null(sources.boot_mac)}};
  inventory["hostname"] = sources.hostname;
  return inventory;
}

Json pci_devices_json(const FileReader& files) {
  Json devices = Json::array();
  for (const std::string& address : files.list("/sys/bus/pci/devices")) {
    const auto id = [&](const char* name) {
      const std::string text = line_of(files, cat("/sys/bus/pci/devices/", address, "/", name));
      return text.rfind("0x", 0) == 0 ? text.substr(2) : text;
    };
    devices.push_back({{"vendor_id", id("vendor")},
                       {"product_id", id("device")},
                       {"class", id("class")},
                       {"revision", id("revision")},
                       {"bus", address}});
  }
  return devices;
}

}  // namespace hearth::agent::deploy
