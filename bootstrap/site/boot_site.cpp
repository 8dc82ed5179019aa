#include "bootstrap/site/boot_site.hpp"

#include <algorithm>

#include "base/error.hpp"
#include "base/sys/file.hpp"
#include "base/text.hpp"
#include "pxe/net/packet_socket.hpp"

namespace hearth::bootstrap {

Json boot_site(const SiteFile& site, const std::string& interface, const std::string& state_directory) {
  Json network = {{"subnet", site.subnet}, {"server", site.seed_address}, {"pools", {site.pool}}};
  if (!site.router.empty()) network["router"] = site.router;
  if (!site.dns.empty()) network["dns"] = site.dns;
  if (!site.ntp.empty()) network["ntp"] = site.ntp;
  network["lease_s"] = site.lease_s;
  Json profiles = Json::object();
  if (!site.deploy.kernel.empty()) {
    const Json ramdisk = {{"kernel", site.deploy.kernel.string()}, {"ramdisk", site.deploy.ramdisk.string()}};
    for (const char* state : {"deploy", "inspect", "rescue"}) profiles[state] = ramdisk;
  }
  return {{"interfaces", {interface}},
          {"mode", site.proxy ? "proxy" : "full"},
          {"networks", Json::array({network})},
          {"profiles", profiles},
          {"unknown", site.unknown},
          {"state_dir", state_directory}};
}

namespace {

/// A network's boot has nodes, too, but no word of how they are switched.
bool is_inventory(const Json& document) {
  if (document.is_object() && document.contains("networks")) return false;
  const Json& nodes = document.is_object() && document.contains("nodes") ? document["nodes"] : document;
  if (!nodes.is_array()) return false;
  return std::any_of(nodes.begin(), nodes.end(), [](const Json& node) {
    return node.is_object() && (node.contains("pm_type") || node.contains("driver"));
  });
}

}  // namespace

bool is_site_file_name(const std::string& path) { return format_of(path) == ListingFormat::yaml; }

pxe::Site load_boot_site(const std::string& path, const std::string& state_directory, pxe::SiteUse use) {
  if (!is_site_file_name(path)) {
    const std::string text = read_file(path);
    const Result<Json> document = parse_json(text, path);
    if (document && is_inventory(*document))
      throw Error(ErrorKind::input, cat(path, " is an inventory of machines, and no site file"))
          .hint(cat("hearth site new site.yaml --inventory ", path, " makes one of it; then --boot site.yaml."));
    return pxe::parse_site(text, path).value_or_throw();
  }
  const SiteFile site = load_site_file(path);
  std::string interface =
      site.interface.empty() ? pxe::interface_with(pxe::parse_ipv4(site.seed_address).value()) : site.interface;
  if (interface.empty() && use == pxe::SiteUse::looks) interface = "eth0";  // which no answer tells
  if (interface.empty()) {
    throw Error(ErrorKind::input,
                cat(path, ": network.interface: is missing: the card of this machine in ", site.subnet))
        .hint(cat("add to network:  interface: eth1; or give a card the seed's address, ", site.seed_address));
  }
  Json document = boot_site(site, interface, state_directory);
  document["nodes"] = Json::array();
  for (std::size_t i = 0; i < site.machines.size(); ++i) {
    const BlankMachine& machine = site.machines[i];
    if (!machine.has_own_mac) continue;
    Json node = {{"name", machine.name}, {"mac", site.inventory.at(i).data.at("mac")}};
    if (!machine.address.empty()) node["address"] = machine.address;
    document["nodes"].push_back(node);
  }
  return pxe::parse_site(format_json(document), path).value_or_throw();
}

}  // namespace hearth::bootstrap
