#include "bootstrap/inventory/drivers.hpp"

#include <algorithm>
#include <array>

#include "base/text.hpp"
#include "bootstrap/node/node.hpp"

namespace hearth::bootstrap {

namespace {

using Identity = DriverRow::Identity;

std::string without_scheme(const std::string& address) {
  const std::size_t scheme = address.find("://");
  std::string rest = scheme == std::string::npos ? address : address.substr(scheme + 3);
  while (!rest.empty() && rest.back() == '/') rest.pop_back();
  return to_lower(rest);
}

/// Where the port of "host:port" begins; npos where it has none. An IPv6 address in brackets keeps its colons.
std::size_t port_in(const std::string& authority) {
  const std::size_t colon = authority.rfind(':');
  const bool port = colon != std::string::npos && (authority.find(':') == colon || authority[colon - 1] == ']');
  return port ? colon : std::string::npos;
}

bool sheet_has_key(std::string_view driver, const std::string& key) {
  const DriverSheet* sheet = driver_sheet(driver);
  return sheet != nullptr &&
         std::any_of(sheet->keys.begin(), sheet->keys.end(), [&](const DriverKey& each) { return each.name == key; });
}

/// Drivers that inventories name and Hearth does not have: name, suffix of pm_types, prefix of keys.
constexpr std::array<std::array<std::string_view, 3>, 5> k_of_others = {{{"cisco-ucs-managed", "_ucs", "ucs"},
                                                                         {"staging-ovirt", "", "ovirt"},
                                                                         {"staging-iboot", "", "iboot"},
                                                                         {"staging-wol", "", "wol"},
                                                                         {"staging-amt", "", "amt"}}};

}  // namespace

const std::vector<DriverRow>& driver_table() {
  static const std::vector<DriverRow> rows = [] {
    std::vector<DriverRow> all;
    for (const DriverSheet& sheet : driver_sheets()) all.push_back({sheet.inventory, sheet.driver});
    for (const auto& [driver, suffix, prefix] : k_of_others)
      all.push_back({{{driver}, suffix, prefix, {}}, driver, false});
    return all;
  }();
  return rows;
}

const DriverRow* driver_of(std::string_view pm_type) {
  for (const DriverRow& row : driver_table()) {
    const bool named = std::find(row.types.begin(), row.types.end(), pm_type) != row.types.end();
    if (named || row.driver == pm_type || (!row.suffix.empty() && has_suffix(pm_type, row.suffix))) return &row;
  }
  return nullptr;
}

const DriverRow* driver_named(std::string_view driver) {
  for (const DriverRow& row : driver_table()) {
    if (row.driver == driver) return &row;
  }
  return nullptr;
}

std::optional<std::string> driver_key(const DriverRow& row, std::string_view pm_key) {
  if (row.prefix.empty()) return std::nullopt;
  const std::string prefix(row.prefix);
  if (row.driver == "libvirt") {
    if (pm_key == "pm_addr") return "libvirt_uri";
    if (pm_key == "pm_vm_name") return "libvirt_domain";
    if (pm_key == "pm_user") return "libvirt_user";
    return std::nullopt;
  }
  if (pm_key == "pm_addr" || pm_key == "pm_address") return prefix + "_address";
  if (pm_key == "pm_user") return prefix + "_username";
  if (pm_key == "pm_password") return prefix + "_password";
  if (pm_key == "pm_port") return prefix + "_port";
  if (pm_key == "pm_system_id" && sheet_has_key(row.driver, prefix + "_system_id")) return prefix + "_system_id";
  return std::nullopt;
}

std::string management_id(const DriverRow& row, const Json& info) {
  const std::string prefix(row.prefix);
  const std::string address = text_in(info, row.driver == "libvirt" ? "libvirt_uri" : prefix + "_address");
  if (row.identity == Identity::none || address.empty()) return "";
  if (row.identity == Identity::system) {
    const std::string port = text_in(info, prefix + "_port");
    return cat(without_scheme(address), port.empty() ? "" : ":", port, "/", text_in(info, prefix + "_system_id"));
  }
  if (row.identity == Identity::domain) {
    const std::string domain = text_in(info, "libvirt_domain");
    return domain.empty() ? "" : cat(address, "#", domain);
  }
  std::string port = text_in(info, prefix + "_port");
  std::string host = split(without_scheme(address), '/').front();
  if (const std::size_t colon = port_in(host); colon != std::string::npos) {
    const std::string own = host.substr(colon + 1);
    if (port.empty() && own != "443" && own != "80") port = own;
    host.resize(colon);
  }
  const bool usual = port.empty() || (row.driver == "ipmi" && port == "623");
  if (!usual) host += cat(":", port);
  // Machines behind one BMC, which bridges to them.
  const std::string target = row.driver == "ipmi" ? text_in(info, "ipmi_target_address") : "";
  if (target.empty() || text_in(info, "ipmi_bridging") == "no") return host;
  const std::string transit = text_in(info, "ipmi_transit_address");
  const auto part = [&](const char* channel, const std::string& of_it) {
    return of_it.empty() ? "" : cat(";", text_in(info, channel, "0"), ".", to_lower(of_it));
  };
  return cat(host, part("ipmi_transit_channel", transit), part("ipmi_target_channel", target));
}

}  // namespace hearth::bootstrap
