#include "bootstrap/rehearse/played_inventory.hpp"

#include <algorithm>

#include "base/text.hpp"
#include "bootstrap/inventory/drivers.hpp"
#include "bootstrap/node/node.hpp"
#include "pxe/net/address.hpp"

namespace hearth::bootstrap {

namespace {

std::string first_mac(const Json& entry) {
  if (!entry.is_object() || !entry.contains("mac")) return "";
  const Json& mac = entry["mac"];
  const Json& first = mac.is_array() && !mac.empty() ? mac[0] : mac;
  const std::optional<pxe::Mac> parsed = pxe::parse_mac(first.is_string() ? first.get<std::string>() : "");
  return parsed ? pxe::to_text(*parsed) : "";
}

/// "boot_mode" of capabilities, in either of their forms; empty where it isn't told.
std::string boot_mode_of(const Json& entry) {
  if (!entry.contains("capabilities")) return "";
  const Json& given = entry["capabilities"];
  if (given.is_object()) return text_in(given, "boot_mode");
  for (const auto& [key, value] : parse_capabilities(text_of(given))) {
    if (key == "boot_mode") return value;
  }
  return "";
}

/// Keys of a machine's management, and what holds for the real machine only.
bool is_not_played(std::string_view key) {
  if (key.starts_with("pm_") || key.starts_with("manual_") || key.ends_with("_interface")) return true;
  if (key == "kernel_id" || key == "ramdisk_id" || key == "root_device" || key == "conductor_group") return true;
  return std::any_of(driver_table().begin(), driver_table().end(), [&](const DriverRow& row) {
    return !row.prefix.empty() && key.starts_with(cat(row.prefix, "_"));
  });
}

/// Finds each machine's entry and takes it.
class Matching {
 public:
  Matching(SiteFile site, const std::vector<ListingEntry>& entries, std::string source)
      : site_(std::move(site)), entries_(entries), source_(std::move(source)), taken_(entries.size(), false) {}

  Result<SiteFile, std::string> result(std::vector<std::string>& left_out) {
    if (site_.machines.empty()) make_machines();
    site_.inventory.assign(site_.machines.size(), {});
    for (std::size_t i = 0; i < site_.machines.size(); ++i) take(site_.machines[i], site_.inventory[i]);
    for (std::size_t i = 0; i < entries_.size(); ++i) {
      if (!taken_[i])
        left_out.push_back(cat(place(i), ": ", title(i), " is no machine of the site file; it is left out"));
    }
    if (!faults_.empty()) return join(faults_, "\n");
    return std::move(site_);
  }

 private:
  [[nodiscard]] std::string place(std::size_t at) const { return cat(source_, ":", entries_[at].at.line); }
  [[nodiscard]] std::string title(std::size_t at) const {
    return text_in(entries_[at].data, "name", cat("node", at + 1));
  }

  void make_machines() {
    for (std::size_t i = 0; i < entries_.size(); ++i) {
      BlankMachine machine;
      machine.name = title(i);
      machine.line = entries_[i].at.line;
      site_.machines.push_back(machine);
    }
  }

  [[nodiscard]] std::optional<std::size_t> entry_of(const BlankMachine& machine) const {
    for (std::size_t i = 0; i < entries_.size(); ++i) {
      if (title(i) == machine.name) return i;
    }
    for (std::size_t i = 0; i < entries_.size(); ++i) {
      if (machine.has_own_mac && first_mac(entries_[i].data) == machine.mac) return i;
    }
    return std::nullopt;
  }

  void take(BlankMachine& machine, ListingEntry& into) {
    const std::optional<std::size_t> found = entry_of(machine);
    if (!found) {
      std::vector<std::string> names;
      for (std::size_t i = 0; i < entries_.size(); ++i) names.push_back(title(i));
      const std::optional<std::string> near = nearest(machine.name, names);
      faults_.push_back(
          cat(source_, ": there is no entry for the machine ", machine.name, near ? cat(" (", *near, "?)") : ""));
      return;
    }
    taken_[*found] = true;
    into = entries_[*found];
    into.data["name"] = machine.name;
    const std::string mac = first_mac(into.data);
    if (mac.empty())
      faults_.push_back(cat(place(*found), ": ", machine.name, " has no MAC address: what boots would be a stranger"));
    else if (machine.has_own_mac && machine.mac != mac)
      faults_.push_back(cat(place(*found), ": ", machine.name, " has the MAC ", mac, ", in the site file (line ",
                            machine.line, ") ", machine.mac, ": one of them is wrong"));
    machine.mac = mac;
    const std::string mode = boot_mode_of(into.data);
    if (!machine.has_own_firmware && !mode.empty()) machine.uefi = mode == "uefi";
  }

  SiteFile site_;
  const std::vector<ListingEntry>& entries_;
  std::string source_;
  std::vector<bool> taken_;
  std::vector<std::string> faults_;
};

/// Another address that no machine of the inventory has.
std::string mistyped(const std::string& mac, const Json& nodes) {
  std::optional<pxe::Mac> wrong = pxe::parse_mac(mac);
  if (!wrong) return mac;
  const auto is_taken = [&](const std::string& text) {
    return std::any_of(nodes.begin(), nodes.end(), [&](const Json& node) { return first_mac(node) == text; });
  };
  do {
    ++wrong->bytes.back();
  } while (is_taken(pxe::to_text(*wrong)));
  return pxe::to_text(*wrong);
}

const Json& node_named(const Json& inventory, const std::string& name) {
  static const Json none = Json::object();
  for (const Json& node : inventory.at("nodes")) {
    if (text_in(node, "name") == name) return node;
  }
  return none;
}

}  // namespace

Result<SiteFile, std::string> with_inventory(SiteFile site, const std::vector<ListingEntry>& entries,
                                             const std::string& source, std::vector<std::string>& left_out) {
  return Matching(std::move(site), entries, source).result(left_out);
}

PlayedBmc account_in(const Json& entry) { return {"", text_in(entry, "pm_user"), text_in(entry, "pm_password")}; }

Json played_inventory(const SiteFile& site, const std::vector<PlayedBmc>& bmcs) {
  Json nodes = Json::array();
  for (std::size_t i = 0; i < site.machines.size(); ++i) {
    const BlankMachine& machine = site.machines[i];
    Json node = Json::object();
    const Json& own = site.inventory.at(i).data;
    for (const auto& [key, value] : own.items()) {
      if (!is_not_played(key)) node[key] = value;
    }
    node["name"] = machine.name;
    node["arch"] = "x86_64";
    if (!node.contains("mac")) node["mac"] = Json::array({machine.mac});
    if (boot_mode_of(node).empty()) {
      const std::string mode = cat("boot_mode:", machine.uefi ? "uefi" : "bios");
      if (!node.contains("capabilities"))
        node["capabilities"] = cat(mode, ",boot_option:local");
      else if (node["capabilities"].is_object())
        node["capabilities"]["boot_mode"] = machine.uefi ? "uefi" : "bios";
      else
        node["capabilities"] = cat(text_of(node["capabilities"]), ",", mode);
    }
    node["pm_type"] = "redfish";
    node["pm_addr"] = bmcs.at(i).url;
    node["pm_user"] = bmcs.at(i).user;
    node["pm_password"] = bmcs.at(i).password;
    node["pm_system_id"] = cat("/redfish/v1/Systems/", machine.name);
    if (!machine.address.empty()) node["x_seed"]["ipv4_address"] = machine.address;
    nodes.push_back(node);
  }
  return {{"nodes", nodes}};
}

Json with_mistakes(Json inventory, const std::vector<InjectedFault>& faults) {
  const Json right = inventory.at("nodes");
  for (const InjectedFault& fault : faults) {
    for (Json& node : inventory.at("nodes")) {
      if (text_in(node, "name") != fault.machine) continue;
      if (fault.kind == FaultKind::wrong_mac) node["mac"] = Json::array({mistyped(first_mac(node), right)});
      if (fault.kind == FaultKind::wrong_password) node["pm_password"] = cat(text_in(node, "pm_password"), "-mistyped");
    }
  }
  return inventory;
}

std::string mistake_text(const InjectedFault& fault, const Json& right, const Json& wrong) {
  const std::string& name = fault.machine;
  if (fault.kind == FaultKind::wrong_mac) {
    return cat("the inventory has ", first_mac(node_named(wrong, name)), " for the card of ", name, ", which has ",
               first_mac(node_named(right, name)));
  }
  return cat("the inventory has another password for the BMC of ", name, " than that knows");
}

}  // namespace hearth::bootstrap
