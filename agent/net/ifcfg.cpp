#include "agent/net/ifcfg.hpp"

#include <algorithm>

#include "agent/net/bonding.hpp"
#include "base/error.hpp"
#include "base/text.hpp"

namespace hearth::agent::net {

namespace {

constexpr std::string_view k_folder = "/etc/sysconfig/network-scripts/";

std::string line(std::string_view key, std::string_view value) { return cat(key, "=", value, "\n"); }
std::string quoted(std::string_view key, std::string_view value) { return cat(key, "=\"", value, "\"\n"); }
std::string if_set(std::string_view key, const std::string& value, bool quote = false) {
  if (value.empty()) return "";
  return quote ? quoted(key, value) : line(key, value);
}
std::string yes_no(std::string_view key, bool value) { return line(key, value ? "yes" : "no"); }

/// NAME.VLAN is a vlan by its name.
bool is_dotted_vlan(const Device& device) {
  const std::size_t dot = device.name.rfind('.');
  return device.kind == Kind::interface && dot != std::string::npos && parse_number(device.name.substr(dot + 1));
}

std::string head(const Device& device) {
  std::string text = cat(k_generated, line("DEVICE", device.name), yes_no("ONBOOT", device.onboot),
                         yes_no("HOTPLUG", device.hotplug), yes_no("NM_CONTROLLED", device.nm_controlled));
  if (device.dns_servers.empty() && !device.dhcp) text += "PEERDNS=no\n";
  if (device.kind == Kind::vlan && device.ovs_bridge.empty()) {
    text += "VLAN=yes\n" + if_set("PHYSDEV", device.lower);
  } else if (device.kind == Kind::vlan) {
    text += if_set("OVS_OPTIONS", device.ovs_options, true);
  } else if (device.kind == Kind::ib_interface) {
    text += "TYPE=Infiniband\n";
  } else if (device.kind == Kind::ib_child) {
    text += cat("TYPE=Infiniband\nPKEY=yes\n", line("PHYSDEV", device.lower),
                line("PKEY_ID", cat("0x", device.name.substr(device.name.rfind('.') + 1))));
  } else if (is_dotted_vlan(device)) {
    text += "VLAN=yes\n";
  } else if (device.kind == Kind::interface && device.linkdelay != 0) {
    text += line("LINKDELAY", std::to_string(device.linkdelay));
  }
  return text;
}

std::string as_port(const Device& device) {
  std::string text;
  if (device.master_kind == Kind::linux_bond) text += line("MASTER", device.master) + "SLAVE=yes\n";
  if (device.master_kind == Kind::linux_team) {
    text += line("TEAM_MASTER", device.master);
    if (device.primary) text += "TEAM_PORT_CONFIG='{\"prio\": 100}'\n";
  }
  const bool own_type = device.kind == Kind::ovs_tunnel || device.kind == Kind::ovs_patch_port;
  if (!device.ovs_bridge.empty() && !own_type) {
    if (device.kind != Kind::linux_team) text += "DEVICETYPE=ovs\n";
    text += cat("TYPE=", device.kind == Kind::vlan ? "OVSIntPort" : "OVSPort", "\n");
    text += line("OVS_BRIDGE", device.ovs_bridge);
    if (device.kind == Kind::vlan) text += quoted("OVS_OPTIONS", cat("tag=", device.vlan_id));
  }
  if (device.master_kind == Kind::linux_bridge) text += line("BRIDGE", device.master);
  return text;
}

std::string ifcfg_bridge_part(const Device& device) {
  std::string text =
      cat("DEVICETYPE=ovs\nTYPE=", device.kind == Kind::ovs_bridge ? "OVSBridge" : "OVSUserBridge", "\n");
  if (device.dhcp || device.dhcp6) text += "OVSBOOTPROTO=dhcp\n";
  if (!device.members.empty() && device.dhcp) text += quoted("OVSDHCPINTERFACES", join(device.members, " "));
  return text + if_set("OVS_OPTIONS", device.ovs_options, true);
}

std::string ovs_bond_part(const Device& device) {
  return cat("DEVICETYPE=ovs\nTYPE=OVSBond\n", device.dhcp || device.dhcp6 ? "OVSBOOTPROTO=dhcp\n" : "",
             quoted("BOND_IFACES", join(device.members, " ")), if_set("OVS_OPTIONS", device.ovs_options, true));
}

std::string own_part(const Device& device) {
  const std::string mac = if_set("MACADDR", device.primary_mac, true);
  const std::string dhcp = device.dhcp ? "BOOTPROTO=dhcp\n" : "";
  switch (device.kind) {
    case Kind::ovs_bridge:
    case Kind::ovs_user_bridge: return ifcfg_bridge_part(device);
    case Kind::ovs_bond: return ovs_bond_part(device);
    case Kind::linux_bridge: return cat("TYPE=Bridge\nDELAY=0\n", dhcp, mac);
    case Kind::linux_bond:
      check_bond_mode(device);
      return cat(mac, dhcp, if_set("BONDING_OPTS", device.bonding_options, true));
    case Kind::linux_team:
      return cat(mac, dhcp, "DEVICETYPE=Team\n",
                 device.bonding_options.empty() ? "" : cat("TEAM_CONFIG='", device.bonding_options, "'\n"));
    case Kind::ovs_tunnel:
      return cat("DEVICETYPE=ovs\nTYPE=OVSTunnel\n", line("OVS_BRIDGE", device.ovs_bridge),
                 line("OVS_TUNNEL_TYPE", device.tunnel_type), quoted("OVS_TUNNEL_OPTIONS", device.ovs_options));
    case Kind::ovs_patch_port:
      return cat("DEVICETYPE=ovs\nTYPE=OVSPatchPort\n", line("OVS_BRIDGE", device.ovs_bridge),
                 line("OVS_PATCH_PEER", device.peer));
    default: return device.dhcp ? dhcp : device.addresses.empty() ? "BOOTPROTO=none\n" : "";
  }
}

std::string static_v4(const Device& device) {
  std::string text = "BOOTPROTO=static\n";
  int count = 0;
  for (const Address& address : device.addresses) {
    if (address.v6) continue;
    const std::string number = count == 0 ? "" : std::to_string(count);
    text += line("IPADDR" + number, address.ip) + line("NETMASK" + number, address.netmask());
    ++count;
  }
  return text;
}

std::string static_v6(const Device& device) {
  std::vector<std::string> texts;
  for (const Address& address : device.addresses) {
    if (address.v6) texts.push_back(address.text());
  }
  std::string text =
      cat("IPV6_AUTOCONF=no\nIPV6_SET_SYSCTLS=yes\nIPV6_FORCE_ACCEPT_RA=no\n", line("IPV6ADDR", texts.front()));
  texts.erase(texts.begin());
  return texts.empty() ? text : text + quoted("IPV6ADDR_SECONDARIES", join(texts, " "));
}

std::string addressing(const Device& device) {
  std::string text = if_set("ETHTOOL_OPTS", device.ethtool_opts, true);
  if (device.mtu != 0) text += line("MTU", std::to_string(device.mtu));
  if (device.dhcp6 || device.has_addresses(true)) {
    text += "IPV6INIT=yes\n";
    if (device.mtu != 0) text += line("IPV6_MTU", std::to_string(device.mtu));
  }
  if (device.dhcp6) text += "DHCPV6C=yes\n";
  if (device.has_addresses(false)) text += static_v4(device);
  if (device.has_addresses(true)) text += static_v6(device);
  return text;
}

std::string ifcfg_ovs_extra(const Device& device) {
  std::vector<std::string> commands;
  if (device.kind == Kind::ovs_bridge) {
    commands.push_back(cat("set bridge ", device.name, " other-config:mac-table-size=50000"));
    if (!device.primary_mac.empty()) {
      commands.push_back(cat("set bridge ", device.name, " other-config:hwaddr=", device.primary_mac));
    }
  }
  const bool takes = device.is_ovs() || !device.ovs_bridge.empty();
  if (!device.ovs_extra.empty() && !takes) {
    if (device.kind != Kind::linux_bond) return "";
    throw Error(ErrorKind::input, cat(device.where, ": Only ovs bridge members can have ovs_extra defined"));
  }
  commands.insert(commands.end(), device.ovs_extra.begin(), device.ovs_extra.end());
  return if_set("OVS_EXTRA", join(commands, " -- "), true);
}

std::string resolving(const Device& device) {
  std::string text = device.defroute ? "" : "DEFROUTE=no\n";
  text += if_set("DHCLIENTARGS", device.dhclient_args);
  for (std::size_t i = 0; i < device.dns_servers.size() && i < 2; ++i) {
    text += line(cat("DNS", i + 1), device.dns_servers[i]);
  }
  return text + if_set("DOMAIN", join(device.domains, " "), device.domain_is_list);
}

std::string interface_file(const Device& device) {
  return cat(head(device), as_port(device), own_part(device), addressing(device), if_set("HWADDR", device.hwaddr),
             ifcfg_ovs_extra(device), resolving(device), device.kind == Kind::linux_tap ? "TYPE=Tap\n" : "");
}

std::string route_line(const Route& route, const Device& device) {
  std::string text = route.is_default ? "default" : route.destination;
  if (!route.on_link()) text += cat(" via ", route.next_hop);
  text += cat(" dev ", device.name);
  if (!route.table.empty() && route.options.find("table ") == std::string::npos) text += cat(" table ", route.table);
  if (!route.metric.empty() && route.options.find("metric ") == std::string::npos) {
    text += cat(" metric ", route.metric);
  }
  return route.options.empty() ? text + "\n" : cat(text, " ", route.options, "\n");
}

/// The default route comes first.
std::string routes_file(const Device& device, bool v6) {
  std::string first;
  std::string rest;
  for (const Route& route : device.routes) {
    if (route.v6() == v6) (route.is_default ? first : rest) += route_line(route, device);
  }
  return first + rest;
}

std::string rules_file(const Device& device) {
  if (device.rules.empty()) return "";
  std::string text(k_generated);
  for (const Rule& rule : device.rules) {
    if (!rule.comment.empty()) text += cat("# ", rule.comment, "\n");
    text += rule.rule + "\n";
  }
  return text;
}

/// Interfaces first, then bridges, then bonds, vlans last.
int rank(const Device& device) {
  switch (device.kind) {
    case Kind::ovs_bridge:
    case Kind::ovs_user_bridge: return 1;
    case Kind::linux_bridge: return 2;
    case Kind::linux_team: return 3;
    case Kind::linux_bond: return 4;
    case Kind::vlan: return 6;
    case Kind::ib_child: return 5;
    default: return 0;
  }
}

}  // namespace

Layout render_ifcfg(const Network& network, const std::string& route_tables) {
  Layout layout;
  std::vector<Device> by_rank = network.devices;
  std::stable_sort(by_rank.begin(), by_rank.end(),
                   [](const Device& left, const Device& right) { return rank(left) < rank(right); });
  for (const Device& device : by_rank) {
    layout.files.push_back({cat(k_folder, "ifcfg-", device.name), interface_file(device)});
    layout.files.push_back({cat(k_folder, "route-", device.name), routes_file(device, false)});
    layout.files.push_back({cat(k_folder, "route6-", device.name), routes_file(device, true)});
    layout.files.push_back({cat(k_folder, "rule-", device.name), rules_file(device)});
    if (device.dns_servers.size() > 2) {
      layout.warnings.push_back(cat(device.where, ": ifcfg format supports max 2 resolvers."));
    }
  }
  for (const Device& device : in_start_order(network)) {
    layout.units.push_back(unit_of(
        device, network,
        cat(interface_file(device), routes_file(device, false), routes_file(device, true), rules_file(device))));
  }
  if (!network.tables.empty()) {
    layout.files.push_back({"/etc/iproute2/rt_tables", render_route_tables(network, route_tables), false});
  }
  return layout;
}

}  // namespace hearth::agent::net
