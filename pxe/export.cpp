#include "pxe/export.hpp"

#include "base/text.hpp"
#include "pxe/boot/answer.hpp"

namespace hearth::pxe {

namespace {

std::string listed(const std::vector<Ipv4>& addresses, std::string_view separator) {
  std::vector<std::string> words;
  for (const Ipv4 address : addresses) words.push_back(to_text(address));
  return join(words, separator);
}

std::string host_name(const Node& node) { return node.name.empty() ? with_dashes(node.macs.front()) : node.name; }

/// The networks' servers may differ; dnsmasq and the class rules below want one.
Ipv4 main_server(const Site& site) { return site.networks.empty() ? Ipv4{} : site.networks.front().server; }

std::string script_url(const Site& site, Ipv4 server) { return http_base(site, server) + "/ipxe/"; }

void add_dnsmasq_network(std::string& out, const Network& network, std::size_t number) {
  const std::string tag = cat("net", number);
  if (network.pools.empty())
    out += cat("dhcp-range=set:", tag, ',', to_text(network.subnet.network), ",static,", to_text(network.subnet.mask()),
               '\n');
  for (const auto& pool : network.pools) {
    out += cat("dhcp-range=set:", tag, ',', to_text(pool.first), ',', to_text(pool.last), ',',
               to_text(network.subnet.mask()), ',', network.lease_s, "s\n");
  }
  const auto option = [&](std::string_view name, const std::string& value) {
    if (!value.empty()) out += cat("dhcp-option=tag:", tag, ",option:", name, ',', value, '\n');
  };
  option("router", listed(network.routers, ","));
  option("dns-server", listed(network.dns, ","));
  option("ntp-server", listed(network.ntp, ","));
  option("domain-name", network.domain);
  option("domain-search", join(network.search, ","));
}

std::string kea_pool(const dhcp::AddressRange& pool) {
  return cat(R"({"pool": ")", to_text(pool.first), " - ", to_text(pool.last), R"("})");
}

std::string kea_options(const Network& network) {
  std::vector<std::string> options;
  const auto option = [&](std::string_view name, const std::string& value) {
    if (!value.empty()) options.push_back(cat(R"({"name": ")", name, R"(", "data": ")", value, R"("})"));
  };
  option("routers", listed(network.routers, ", "));
  option("domain-name-servers", listed(network.dns, ", "));
  option("ntp-servers", listed(network.ntp, ", "));
  option("domain-name", network.domain);
  return join(options, ", ");
}

std::string kea_reservations(const Site& site, const Network& network) {
  std::vector<std::string> lines;
  for (const Node& node : site.nodes) {
    if (!node.address || !network.subnet.contains(*node.address) || node.macs.empty()) continue;
    lines.push_back(cat(R"(          {"hw-address": ")", to_text(node.macs.front()), R"(", "ip-address": ")",
                        to_text(*node.address), R"(", "hostname": ")", host_name(node), R"("})"));
  }
  return join(lines, ",\n");
}

std::string kea_network(const Site& site, const Network& network, std::size_t number) {
  std::vector<std::string> pools;
  for (const auto& pool : network.pools) pools.push_back(kea_pool(pool));
  const std::string reservations = kea_reservations(site, network);
  return cat("      {\"id\": ", number, ", \"subnet\": \"", to_text(network.subnet), "\", \"next-server\": \"",
             to_text(network.server), "\",\n        \"valid-lifetime\": ", network.lease_s, ",\n        \"pools\": [",
             join(pools, ", "), "],\n        \"option-data\": [", kea_options(network),
             "],\n        \"reservations\": [", reservations.empty() ? "" : "\n" + reservations + "\n        ", "]}");
}

std::string kea_class(std::string_view name, std::string_view test, const std::string& file) {
  return cat(R"(      {"name": ")", name, R"(", "test": ")", test, R"(", "boot-file-name": ")", file, "\"}");
}

std::string isc_network(const Network& network) {
  std::string out =
      cat("subnet ", to_text(network.subnet.network), " netmask ", to_text(network.subnet.mask()), " {\n");
  for (const auto& pool : network.pools) out += cat("  range ", to_text(pool.first), ' ', to_text(pool.last), ";\n");
  const auto option = [&](std::string_view name, const std::string& value) {
    if (!value.empty()) out += cat("  option ", name, ' ', value, ";\n");
  };
  option("routers", listed(network.routers, ", "));
  option("domain-name-servers", listed(network.dns, ", "));
  option("ntp-servers", listed(network.ntp, ", "));
  if (!network.domain.empty()) option("domain-name", cat('"', network.domain, '"'));
  return cat(out, "  default-lease-time ", network.lease_s, ";\n  max-lease-time ", network.lease_s,
             ";\n  next-server ", to_text(network.server), ";\n}\n");
}

}  // namespace

std::string export_dnsmasq(const Site& site) {
  const Ipv4 server = main_server(site);
  std::string out = "# Made by hearth pxe export --for dnsmasq; TFTP and HTTP are served by hearth.\nport=0\n";
  for (const std::string& interface : site.interfaces) out += cat("interface=", interface, '\n');
  out += "bind-interfaces\n";
  for (std::size_t at = 0; at < site.networks.size(); ++at) add_dnsmasq_network(out, site.networks[at], at);
  for (const Node& node : site.nodes) {
    if (node.macs.empty()) continue;
    out += "dhcp-host=";
    for (const Mac& mac : node.macs) out += to_text(mac) + ',';
    if (node.address) out += to_text(*node.address) + ',';
    out += host_name(node) + '\n';
  }
  out +=
      "dhcp-userclass=set:ipxe,iPXE\n"
      "dhcp-match=set:uefi,option:client-arch,7\ndhcp-match=set:uefi,option:client-arch,9\n"
      "dhcp-match=set:http,option:client-arch,16\n";
  out += cat("dhcp-boot=tag:ipxe,", script_url(site, server), "${mac:hexhyp}\n");
  out += cat("dhcp-boot=tag:!ipxe,tag:http,", http_base(site, server), "/boot/snponly.efi\n");
  out += "dhcp-option-force=tag:http,60,HTTPClient\ndhcp-option-force=tag:ipxe,encap:175,176,1b\n";
  out += cat("dhcp-boot=tag:!ipxe,tag:uefi,snponly.efi,,", to_text(server), '\n');
  out += cat("dhcp-boot=tag:!ipxe,tag:!uefi,tag:!http,undionly.kpxe,,", to_text(server), '\n');
  return out;
}

std::string export_kea(const Site& site) {
  const Ipv4 server = main_server(site);
  std::vector<std::string> interfaces;
  for (const std::string& interface : site.interfaces) interfaces.push_back(cat('"', interface, '"'));
  std::vector<std::string> networks;
  for (std::size_t at = 0; at < site.networks.size(); ++at)
    networks.push_back(kea_network(site, site.networks[at], at + 1));
  const std::string plain = "not member('ipxe')";
  const std::vector<std::string> classes = {
      kea_class("ipxe", "substring(option[77].hex,0,4) == 'iPXE' or substring(option[77].hex,1,4) == 'iPXE'",
                script_url(site, server) + "${mac:hexhyp}"),
      kea_class("http", plain + " and option[93].hex == 0x0010", http_base(site, server) + "/boot/snponly.efi"),
      kea_class("uefi", plain + " and (option[93].hex == 0x0007 or option[93].hex == 0x0009)", "snponly.efi"),
      kea_class("bios", plain + " and option[93].hex == 0x0000", "undionly.kpxe")};
  return cat("// Made by hearth pxe export --for kea; TFTP and HTTP are served by hearth.\n{\n  \"Dhcp4\": {\n",
             "    \"interfaces-config\": {\"interfaces\": [", join(interfaces, ", "), "]},\n",
             "    \"lease-database\": {\"type\": \"memfile\", \"persist\": true},\n    \"client-classes\": [\n",
             join(classes, ",\n"), "\n    ],\n    \"subnet4\": [\n", join(networks, ",\n"), "\n    ]\n  }\n}\n");
}

std::string export_isc(const Site& site) {
  const Ipv4 server = main_server(site);
  std::string out =
      "# Made by hearth pxe export --for isc; TFTP and HTTP are served by hearth.\n"
      "authoritative;\noption arch code 93 = unsigned integer 16;\n";
  for (const Network& network : site.networks) out += isc_network(network);
  for (const Node& node : site.nodes) {
    for (std::size_t at = 0; at < node.macs.size(); ++at) {
      out += cat("host ", host_name(node), at == 0 ? "" : cat('-', at), " { hardware ethernet ", to_text(node.macs[at]),
                 "; ");
      if (node.address && at == 0) out += cat("fixed-address ", to_text(*node.address), "; ");
      out += cat("option host-name \"", host_name(node), "\"; }\n");
    }
  }
  out += cat(
      "if exists user-class and option user-class = \"iPXE\" {\n  filename \"", script_url(site, server),
      "${mac:hexhyp}\";\n} elsif option arch = 16 {\n  option vendor-class-identifier \"HTTPClient\";\n  filename \"",
      http_base(site, server), "/boot/snponly.efi\";\n} elsif option arch = 7 or option arch = 9 {\n",
      "  filename \"snponly.efi\";\n} elsif option arch = 0 {\n  filename \"undionly.kpxe\";\n}\n");
  return out;
}

}  // namespace hearth::pxe
