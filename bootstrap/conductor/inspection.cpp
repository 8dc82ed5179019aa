#include "bootstrap/conductor/inspection.hpp"

#include <algorithm>

#include "base/text.hpp"
#include "pxe/net/address.hpp"

namespace hearth::bootstrap {

namespace {

constexpr std::int64_t k_gib = std::int64_t{1} << 30U;

std::string canonical_text(const std::string& text) {
  const std::optional<pxe::Mac> mac = pxe::parse_mac(text);
  return mac && pxe::is_unicast(*mac) ? pxe::to_text(*mac) : "";
}

/// Any address but zero, the stand-ins of guides (bb:bb:bb:bb:bb:bb is a group) too: the inventory says which it has.
std::string told_address(const std::string& text) {
  const std::optional<pxe::Mac> mac = pxe::parse_mac(text);
  return mac && *mac != pxe::Mac{} ? pxe::to_text(*mac) : "";
}

std::int64_t size_of(const Json& disk) {
  const Json size = member_or_null(disk, "size");
  return size.is_number_integer() ? size.get<std::int64_t>() : 0;
}

}  // namespace

std::vector<std::string> inspected_macs(const Json& data) {
  std::vector<std::string> macs;
  for (const Json& card : member_or_null(object_member(data, "inventory"), "interfaces")) {
    const std::string mac = told_address(text_in(card, "mac_address"));
    if (!mac.empty()) macs.push_back(mac);
  }
  return macs;
}

std::string inspected_boot_mac(const Json& data) {
  const std::string told = canonical_text(text_in(data, "boot_interface"));
  return told.empty()
             ? canonical_text(text_in(member_or_null(object_member(data, "inventory"), "boot"), "pxe_interface"))
             : told;
}

std::string inspected_bmc(const Json& data) {
  const std::string address = text_in(object_member(data, "inventory"), "bmc_address");
  return address == "0.0.0.0" ? "" : address;
}

void apply_inspection(Node& node, const Json& data) {
  const Json& inventory = object_member(data, "inventory");
  const Json cpu = member_or_null(inventory, "cpu");
  const Json memory = member_or_null(inventory, "memory");
  if (member_or_null(cpu, "count").is_number_integer()) node.properties["cpus"] = cpu["count"];
  if (!text_in(cpu, "architecture").empty()) node.properties["cpu_arch"] = cpu["architecture"];
  if (member_or_null(memory, "physical_mb").is_number_integer()) node.properties["memory_mb"] = memory["physical_mb"];
  const std::int64_t root = size_of(member_or_null(data, "root_disk"));
  if (root > 0) node.properties["local_gb"] = root / k_gib - 1;  // room for a config drive, as Ironic leaves it
  const std::string mode = text_in(member_or_null(inventory, "boot"), "current_boot_mode");
  if (mode == "bios" || mode == "uefi") node.set_capability("boot_mode", mode);
  node.internal["inspected_macs"] = inspected_macs(data);
}

Json chosen_root_device(const Json& data, const std::string& strategy, std::int64_t minimum_gib) {
  std::vector<Json> disks;
  for (const Json& disk : member_or_null(object_member(data, "inventory"), "disks")) {
    if (size_of(disk) >= minimum_gib * k_gib) disks.push_back(disk);
  }
  std::stable_sort(disks.begin(), disks.end(), [](const Json& a, const Json& b) { return size_of(a) < size_of(b); });
  Json chosen;
  if (strategy == "smallest" && !disks.empty()) chosen = disks.front();
  if (strategy == "largest" && !disks.empty()) chosen = disks.back();
  for (const std::string& wanted : split(strategy, ',')) {
    const auto named = std::find_if(disks.begin(), disks.end(), [&](const Json& disk) {
      const std::string name = text_in(disk, "name");
      return name == wanted || name == cat("/dev/", wanted);
    });
    if (chosen.is_null() && named != disks.end()) chosen = *named;
  }
  if (chosen.is_null()) return nullptr;
  const char* key = !text_in(chosen, "wwn").empty() ? "wwn" : "serial";
  if (text_in(chosen, key).empty()) return nullptr;
  return {{"hint", {{key, chosen[key]}}}, {"local_gb", size_of(chosen) / k_gib - 1}};
}

}  // namespace hearth::bootstrap
