// What a machine is told to boot depends on its firmware, its node's state and loader, and the network that it asks
// from (whose server's address stands in URLs). Hearth decides it for each request; the others have it as rules. So the
// decisions are asked of boot_offer() for each kind of node, and each server gets them in its own way of telling kinds
// apart: dnsmasq by tags, Kea by classes that a subnet requires, dhcpd by groups of hosts.
#include "pxe/export.hpp"

#include <map>

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

constexpr const char* k_note =
    " TFTP and HTTP are served by hearth.\nNodes' states are those of the site file as it was: export it again when "
    "one "
    "changes.";

/// What the firmware of one kind of node loads: files by TFTP, and a path by HTTP. Empty: it goes on to its disk.
struct Loaders {
  std::string name;  ///< of this kind
  std::string bios, uefi, http;
};

Loaders loaders_of(const Site& site, const BootPlan& plan) {
  const auto file = [&](Client::Kind kind, std::uint16_t arch) {
    return boot_offer(site, plan, {.kind = kind, .arch = arch}, Ipv4{}).file;
  };
  Loaders loaders{.bios = file(Client::Kind::pxe, 0), .uefi = file(Client::Kind::pxe, 7)};
  loaders.http = file(Client::Kind::http, 16).substr(http_base(site, Ipv4{}).size());
  loaders.name = plan.state == BootState::local ? "local" : "install";
  if (plan.node != nullptr && plan.node->secure_boot) loaders.name += "-secure";
  if (loaders.bios == "pxelinux.0") loaders.name += "-pxelinux";
  return loaders;
}

Loaders loaders_of(const Site& site, const Node& node) {
  return loaders_of(site, plan_for(site, std::make_shared<const Node>(node)));
}

/// Those of all nodes, by their names.
std::map<std::string, Loaders> kinds_of_nodes(const Site& site) {
  std::map<std::string, Loaders> kinds;
  for (const Node& node : site.nodes) {
    Loaders loaders = loaders_of(site, node);
    kinds.emplace(loaders.name, std::move(loaders));
  }
  return kinds;
}

/// Of machines that are in no inventory; nothing when they get no answer.
std::optional<Loaders> loaders_of_others(const Site& site) {
  const BootPlan plan = plan_for(site, NodeRef{});
  if (plan.ignored) return std::nullopt;
  return loaders_of(site, plan);
}

std::string script_url(const Site& site, const Network& network) {
  return http_base(site, network.server) + "/ipxe/${mac:hexhyp}";
}

/// Rules of a network: one for each firmware of each kind of machine that loads something.
struct Rule {
  std::string kind;  ///< empty: of machines that are in no inventory
  const char* firmware;
  std::string file;
};

std::vector<Rule> rules_of(const Site& site, const Network& network) {
  std::vector<Rule> rules;
  const auto add = [&](const std::string& kind, const Loaders& loaders) {
    if (!loaders.bios.empty()) rules.push_back({kind, "bios", loaders.bios});
    if (!loaders.uefi.empty()) rules.push_back({kind, "uefi", loaders.uefi});
    if (!loaders.http.empty()) rules.push_back({kind, "http", http_base(site, network.server) + loaders.http});
  };
  for (const auto& [kind, loaders] : kinds_of_nodes(site)) add(kind, loaders);
  if (const auto others = loaders_of_others(site)) add("", *others);
  return rules;
}

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

std::string kea_pool(const AddressRange& pool) {
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

/// A node without an address has one in each network, which tells its kind.
std::string kea_reservations(const Site& site, const Network& network) {
  std::vector<std::string> lines;
  for (const Node& node : site.nodes) {
    if (node.address && !network.subnet.contains(*node.address)) continue;
    for (std::size_t at = 0; at < node.macs.size(); ++at) {
      const std::string address =
          node.address && at == 0 ? cat("\"ip-address\": \"", to_text(*node.address), "\", ") : "";
      lines.push_back(cat(R"(          {"hw-address": ")", to_text(node.macs[at]), "\", ", address, R"("hostname": ")",
                          host_name(node), R"(", "client-classes": [")", loaders_of(site, node).name, R"("]})"));
    }
  }
  return join(lines, ",\n");
}

std::string kea_network(const Site& site, const Network& network, std::size_t number,
                        const std::vector<std::string>& classes) {
  std::vector<std::string> pools;
  for (const auto& pool : network.pools) pools.push_back(kea_pool(pool));
  const std::string reservations = kea_reservations(site, network);
  return cat("      {\"id\": ", number, ", \"subnet\": \"", to_text(network.subnet), "\", \"next-server\": \"",
             to_text(network.server), "\",\n        \"require-client-classes\": [", join(classes, ", "),
             "],\n        \"valid-lifetime\": ", network.lease_s, ",\n        \"pools\": [", join(pools, ", "),
             "],\n        \"option-data\": [", kea_options(network), "],\n        \"reservations\": [",
             reservations.empty() ? "" : "\n" + reservations + "\n        ", "]}");
}

/// Kea's words for a firmware.
std::string kea_test(std::string_view firmware) {
  if (firmware == "bios") return "option[93].hex == 0x0000";
  if (firmware == "http") return "option[93].hex == 0x0010";
  return "(option[93].hex == 0x0007 or option[93].hex == 0x0009)";
}

/// A class that only a subnet which requires it asks for: after the reservation, which tells a node's kind.
std::string kea_class(const std::string& name, const std::string& test, const std::string& file,
                      const std::string& more = "") {
  return cat(R"(      {"name": ")", name, R"(", "only-if-required": true, "test": ")", test,
             R"(", "boot-file-name": ")", file, '"', more, '}');
}

constexpr const char* k_isc_is_ipxe = "exists user-class and option user-class = \"iPXE\"";

/// Rules for the firmware of one kind of machine, in a scope of dhcpd's that is only theirs.
std::string isc_rules(const Site& site, const Network& network, const std::string& kind, std::string_view indent) {
  std::string out;
  for (const Rule& rule : rules_of(site, network)) {
    if (rule.kind != kind) continue;
    const std::string_view firmware = rule.firmware;
    const char* const test = firmware == "bios"   ? "option arch = 00:00"
                             : firmware == "http" ? "option arch = 00:10"
                                                  : "option arch = 00:07 or option arch = 00:09";
    out += cat(indent, out.empty() ? "if " : "} elsif ", test, " {\n");
    if (firmware == "http") out += cat(indent, "  option vendor-class-identifier \"HTTPClient\";\n");
    out += cat(indent, "  filename \"", rule.file, "\";\n");
  }
  return out.empty() ? out : cat(out, indent, "}\n");
}

std::string isc_network(const Site& site, const Network& network) {
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
  if (!loaders_of_others(site)) out += "  deny unknown-clients;\n";
  const std::string others = isc_rules(site, network, "", "    ");
  return cat(out, "  default-lease-time ", network.lease_s, ";\n  max-lease-time ", network.lease_s,
             ";\n  next-server ", to_text(network.server), ";\n  if ", k_isc_is_ipxe, " {\n    filename \"",
             script_url(site, network), "\";\n  }", others.empty() ? "" : cat(" elsif not known {\n", others, "  }"),
             "\n}\n");
}

/// A host has no network of its own to dhcpd: its address tells, else it is the first one's.
const Network* home_of(const Site& site, const Node& node) {
  const Network* home = node.address ? site.network_of(*node.address) : nullptr;
  return home != nullptr || site.networks.empty() ? home : &site.networks.front();
}

std::string isc_hosts(const Node& node) {
  std::string out;
  for (std::size_t at = 0; at < node.macs.size(); ++at) {
    out += cat("  host ", host_name(node), at == 0 ? "" : cat('-', at), " { hardware ethernet ", to_text(node.macs[at]),
               "; ");
    if (node.address && at == 0) out += cat("fixed-address ", to_text(*node.address), "; ");
    out += cat("option host-name \"", host_name(node), "\"; }\n");
  }
  return out;
}

}  // namespace

std::string export_dnsmasq(const Site& site) {
  std::string out = cat("# Made by hearth pxe export --for dnsmasq;", replace_all(k_note, "\n", "\n# "), "\nport=0\n");
  for (const std::string& interface : site.interfaces) out += cat("interface=", interface, '\n');
  out += "bind-interfaces\n";
  for (std::size_t at = 0; at < site.networks.size(); ++at) add_dnsmasq_network(out, site.networks[at], at);
  for (const Node& node : site.nodes) {
    if (node.macs.empty()) continue;
    out += "dhcp-host=";
    for (const Mac& mac : node.macs) out += to_text(mac) + ',';
    out += cat("set:", loaders_of(site, node).name, ',');
    if (node.address) out += to_text(*node.address) + ',';
    out += host_name(node) + '\n';
  }
  if (!loaders_of_others(site)) out += "dhcp-ignore=tag:!known\n";
  out +=
      "dhcp-userclass=set:ipxe,iPXE\ndhcp-match=set:bios,option:client-arch,0\n"
      "dhcp-match=set:uefi,option:client-arch,7\ndhcp-match=set:uefi,option:client-arch,9\n"
      "dhcp-match=set:http,option:client-arch,16\n";
  out += "dhcp-option-force=tag:http,60,HTTPClient\ndhcp-option-force=tag:ipxe,encap:175,176,1b\n";
  for (std::size_t at = 0; at < site.networks.size(); ++at) {
    const Network& network = site.networks[at];
    out += cat("dhcp-boot=tag:net", at, ",tag:ipxe,", script_url(site, network), '\n');
    for (const Rule& rule : rules_of(site, network)) {
      out += cat("dhcp-boot=tag:net", at, ",tag:!ipxe,tag:", rule.kind.empty() ? "!known" : rule.kind,
                 ",tag:", rule.firmware, ',', rule.file);
      out += rule.firmware == std::string_view("http") ? "\n" : cat(",,", to_text(network.server), '\n');
    }
  }
  return out;
}

std::string export_kea(const Site& site) {
  std::vector<std::string> interfaces;
  for (const std::string& interface : site.interfaces) interfaces.push_back(cat('"', interface, '"'));
  std::vector<std::string> classes = {
      "      {\"name\": \"ipxe\", \"test\": \"substring(option[77].hex,0,4) == 'iPXE' or "
      "substring(option[77].hex,1,4) == 'iPXE'\"}"};
  for (const auto& [kind, loaders] : kinds_of_nodes(site)) classes.push_back(cat("      {\"name\": \"", kind, "\"}"));
  if (!loaders_of_others(site)) classes.emplace_back("      {\"name\": \"DROP\", \"test\": \"member('UNKNOWN')\"}");
  std::vector<std::string> networks;
  for (std::size_t at = 0; at < site.networks.size(); ++at) {
    const Network& network = site.networks[at];
    std::vector<std::string> required = {cat("\"net", at, "-ipxe\"")};
    classes.push_back(kea_class(cat("net", at, "-ipxe"), "member('ipxe')", script_url(site, network)));
    for (const Rule& rule : rules_of(site, network)) {
      const std::string name = cat("net", at, '-', rule.kind.empty() ? "unknown" : rule.kind, '-', rule.firmware);
      const std::string who = rule.kind.empty() ? "member('UNKNOWN')" : cat("member('", rule.kind, "')");
      const bool by_http = rule.firmware == std::string_view("http");
      classes.push_back(
          kea_class(name, cat("not member('ipxe') and ", who, " and ", kea_test(rule.firmware)), rule.file,
                    by_http ? ", \"option-data\": [{\"name\": \"vendor-class-identifier\", \"data\": \"HTTPClient\", "
                              "\"always-send\": true}]"
                            : ""));
      required.push_back(cat('"', name, '"'));
    }
    networks.push_back(kea_network(site, network, at + 1, required));
  }
  return cat("// Made by hearth pxe export --for kea;", replace_all(k_note, "\n", "\n// "), "\n{\n  \"Dhcp4\": {\n",
             "    \"interfaces-config\": {\"interfaces\": [", join(interfaces, ", "), "]},\n",
             "    \"lease-database\": {\"type\": \"memfile\", \"persist\": true},\n    \"client-classes\": [\n",
             join(classes, ",\n"), "\n    ],\n    \"subnet4\": [\n", join(networks, ",\n"), "\n    ]\n  }\n}\n");
}

std::string export_isc(const Site& site) {
  std::string out = cat("# Made by hearth pxe export --for isc;", replace_all(k_note, "\n", "\n# "),
                        "\nauthoritative;\noption arch code 93 = unsigned integer 16;\n");
  for (const Network& network : site.networks) out += isc_network(site, network);
  std::map<std::pair<const Network*, std::string>, std::string> groups;
  for (const Node& node : site.nodes) {
    if (node.macs.empty()) continue;
    groups[{home_of(site, node), loaders_of(site, node).name}] += isc_hosts(node);
  }
  for (const auto& [group, hosts] : groups) {
    const auto& [network, kind] = group;
    const std::string rules = network == nullptr ? "" : isc_rules(site, *network, kind, "    ");
    out += cat("group {  # ", kind, '\n');
    if (!rules.empty()) out += cat("  if ", k_isc_is_ipxe, " {  # its network's script\n  } else {\n", rules, "  }\n");
    out += hosts;  // a host takes over what stands before it
    out += "}\n";
  }
  return out;
}

}  // namespace hearth::pxe
