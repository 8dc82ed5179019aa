#include "agent/net/eni.hpp"

#include "agent/net/bonding.hpp"
#include "agent/net/eni_routes.hpp"
#include "base/error.hpp"
#include "base/text.hpp"

namespace hearth::agent::net {

namespace {

std::string option(std::string_view words) { return cat("    ", words, "\n"); }

/// "iface N inet static" and the like, with what belongs to it alone.
struct Stanza {
  std::string family;  ///< inet, inet6
  std::string method;
  std::string address;  ///< lines
};

std::vector<Stanza> stanzas_of(const Device& device) {
  std::vector<Stanza> stanzas;
  if (device.dhcp) stanzas.push_back({"inet", "dhcp", ""});
  for (const bool v6 : {false, true}) {
    for (const Address& address : device.addresses) {
      if (address.v6 != v6) continue;
      stanzas.push_back(
          {v6 ? "inet6" : "inet", "static", option("address " + address.ip) + option("netmask " + address.netmask())});
    }
  }
  if (device.dhcp6) stanzas.push_back({"inet6", "dhcp", ""});
  if (stanzas.empty()) stanzas.push_back({"inet", "manual", ""});
  return stanzas;
}

/// pre-up line that makes a device unless it is there.
std::string make_by(const std::string& name, const std::string& command) {
  return option(cat("pre-up [ -d /sys/class/net/", name, " ] || ", command));
}
std::string make_device(const std::string& name, const std::string& how) {
  return make_by(name, cat("ip link add ", how));
}

std::string enslave(const Device& master, bool must_be_down) {
  std::string lines;
  for (const std::string& member : master.members) {
    if (must_be_down) lines += option(cat("pre-up ip link set dev ", member, " down"));
    lines += option(cat("pre-up ip link set dev ", member, " master ", master.name));
    lines += option(cat("pre-up ip link set dev ", member, " up"));
  }
  return lines;
}

std::string set_mac(const Device& device) {
  return device.primary_mac.empty()
             ? ""
             : option(cat("pre-up ip link set dev ", device.name, " address ", device.primary_mac));
}

/// Vlans among the members lie on top of their master; only the others become its ports.
Device with_ports_only(const Device& master, const Network& network) {
  Device only = master;
  only.members.clear();
  for (const std::string& name : master.members) {
    const Device* member = network.find(name);
    if (member == nullptr || member->master == master.name) only.members.push_back(name);
  }
  return only;
}

std::string bond_part(const Device& bond) {
  const BondOptions options = parse_bonding_options(bond);
  std::string lines = make_device(bond.name, cat("name ", bond.name, " type bond", options.for_ip_link()));
  lines += enslave(bond, true) + set_mac(bond);
  if (!options.primary.empty()) {
    lines += option(cat("pre-up ip link set dev ", bond.name, " type bond primary ", options.primary));
  }
  return lines;
}

std::string vlan_part(const Device& vlan) {
  return option("vlan-raw-device " + vlan.lower) +
         make_device(vlan.name, cat("link ", vlan.lower, " name ", vlan.name, " type vlan id ", vlan.vlan_id));
}

std::string ovs_bridge_part(const Device& bridge, const Network& network) {
  std::string lines = option("ovs_type OVSBridge");
  if (!bridge.members.empty()) lines += option("ovs_ports " + join(bridge.members, " "));
  for (const std::string& name : bridge.members) {
    const Device* member = network.find(name);
    if (member != nullptr && member->kind == Kind::interface) {
      lines += option(cat("pre-up ip addr flush dev ", name));
    }
  }
  return bridge.ovs_options.empty() ? lines : lines + option("ovs_options " + bridge.ovs_options);
}

std::string ovs_port_part(const Device& device) {
  std::string lines = device.ovs_bridge.empty() ? "" : option("ovs_bridge " + device.ovs_bridge);
  switch (device.kind) {
    case Kind::vlan: return lines + option("ovs_type OVSIntPort") + option(cat("ovs_options tag=", device.vlan_id));
    case Kind::ovs_bond:
      lines += option("ovs_type OVSBond") + option("ovs_bonds " + join(device.members, " "));
      return device.ovs_options.empty() ? lines : lines + option("ovs_options " + device.ovs_options);
    case Kind::ovs_tunnel:
      return lines + option("ovs_type OVSTunnel") + option("ovs_tunnel_type " + device.tunnel_type) +
             option("ovs_tunnel_options " + device.ovs_options);
    case Kind::ovs_patch_port: return lines + option("ovs_type OVSPatchPort") + option("ovs_patch_peer " + device.peer);
    default: return lines + option("ovs_type OVSPort");
  }
}

std::string ib_child_part(const Device& child) {
  return make_device(child.name, cat("link ", child.lower, " name ", child.name, " type ipoib pkey ", child.pkey));
}

/// What makes the device what it is: once, in its first stanza.
std::string kind_part(const Device& device, const Network& network) {
  const bool bridge = device.kind == Kind::ovs_bridge || device.kind == Kind::ovs_user_bridge;
  std::string lines;
  if (device.kind == Kind::linux_bond) lines = bond_part(with_ports_only(device, network));
  if (bridge) return ovs_bridge_part(device, network);
  if (device.is_ovs() || !device.ovs_bridge.empty()) return lines + ovs_port_part(device);
  if (device.kind == Kind::vlan) return vlan_part(device);
  if (device.kind == Kind::ib_child) return ib_child_part(device);
  if (device.kind == Kind::linux_tap) return make_by(device.name, cat("ip tuntap add dev ", device.name, " mode tap"));
  if (device.kind == Kind::linux_bridge) {
    return make_device(device.name, cat("name ", device.name, " type bridge")) +
           enslave(with_ports_only(device, network), false) + set_mac(device);
  }
  return lines;
}

std::string start_lines(const Device& device) {
  std::string lines;
  if (device.hotplug) {
    lines += cat("allow-hotplug ", device.name, "\n");
  } else if (device.onboot) {
    lines += cat("auto ", device.name, "\n");
  }
  if (device.kind == Kind::ovs_bridge || device.kind == Kind::ovs_user_bridge) {
    lines += cat("allow-ovs ", device.name, "\n");
  } else if (!device.ovs_bridge.empty()) {
    lines += cat("allow-", device.ovs_bridge, " ", device.name, "\n");
  }
  return lines;
}

std::string ovs_extra(const Device& device) {
  std::vector<std::string> commands;
  if (device.kind == Kind::ovs_bridge && !device.primary_mac.empty()) {
    commands.push_back(cat("set bridge ", device.name, " other-config:hwaddr=", device.primary_mac));
  }
  commands.insert(commands.end(), device.ovs_extra.begin(), device.ovs_extra.end());
  const bool takes = device.is_ovs() || !device.ovs_bridge.empty();
  return commands.empty() || !takes ? "" : option("ovs_extra " + join(commands, " -- "));
}

/// Lines of the last stanza: they run when all addresses are there.
std::string tail_part(const Device& device, const Network& network, const EniMachine& machine, bool single) {
  std::string lines;
  if (!device.dns_servers.empty()) lines += option("dns-nameservers " + join(device.dns_servers, " "));
  if (!device.domains.empty()) lines += option("dns-search " + join(device.domains, " "));
  if (!device.ethtool_opts.empty()) {
    lines += option(cat("up ", ethtool_command(device), " || true"));
  }
  if (device.dhcp && !device.defroute) {
    lines += option(cat("up ip route del default dev ", device.name, " 2>/dev/null || true"));
  }
  lines += route_lines(device, network, machine.net_tools && single);
  lines += rule_lines(device, network);
  if (device.is_virtual()) lines += option(cat("post-down ip link delete dev ", device.name, " 2>/dev/null || true"));
  return lines;
}

std::string device_text(const Device& device, const Network& network, const EniMachine& machine) {
  const std::vector<Stanza> stanzas = stanzas_of(device);
  std::string text;
  for (std::size_t i = 0; i < stanzas.size(); ++i) {
    text += start_lines(device);
    text += cat("iface ", device.name, " ", stanzas[i].family, " ", stanzas[i].method, "\n", stanzas[i].address);
    if (i == 0) text += kind_part(device, network);
    if (device.mtu != 0) text += option(cat("mtu ", device.mtu));
    if (i == 0) text += ovs_extra(device);
  }
  return text + tail_part(device, network, machine, stanzas.size() == 1);
}

/// Without resolvconf or systemd-resolved nobody reads dns-nameservers.
void add_resolver(Layout& layout, const Network& network) {
  std::string text;
  std::vector<std::string> search;
  for (const Device& device : network.devices) {
    for (const std::string& server : device.dns_servers) text += cat("nameserver ", server, "\n");
    search.insert(search.end(), device.domains.begin(), device.domains.end());
    if (!device.dhcp) continue;
    layout.warnings.push_back(cat(device.where, ": the DHCP client of ", device.name,
                                  " writes /etc/resolv.conf, dns_servers are left to it; install resolvconf"));
    return;
  }
  if (!search.empty()) text = cat("search ", join(search, " "), "\n", text);
  layout.files.push_back({"/etc/resolv.conf", cat(k_generated, text)});
}

bool has_resolver(const Network& network) {
  for (const Device& device : network.devices) {
    if (!device.dns_servers.empty()) return true;
  }
  return false;
}

void refuse_teams(const Network& network) {
  for (const Device& device : network.devices) {
    if (device.kind == Kind::linux_team) {
      throw Error(ErrorKind::unsupported, cat(device.where, ": ifupdown knows no teams; use a linux_bond"));
    }
  }
}

/// Names that devices are to keep: a rule of udev, which every init system's udev reads.
void add_renaming(Layout& layout, const Network& network) {
  std::string rules;
  for (const Device& device : network.devices) {
    if (device.hwaddr.empty() || device.name.find('.') != std::string::npos) continue;
    rules += cat("SUBSYSTEM==\"net\", ACTION==\"add\", ATTR{address}==\"", device.hwaddr, "\", NAME=\"", device.name,
                 "\"\n");
  }
  if (!rules.empty()) layout.files.push_back({"/etc/udev/rules.d/70-os-net-config.rules", cat(k_generated, rules)});
}

}  // namespace

Layout render_eni(const Network& network, const EniMachine& machine) {
  refuse_teams(network);
  Layout layout;
  std::string text;
  for (const Device& device : in_start_order(network)) {
    const std::string own = device_text(device, network, machine);
    text += own;
    layout.units.push_back(unit_of(device, network, split_stanzas(own)[device.name]));
    if (!device.dhclient_args.empty()) {
      layout.warnings.push_back(cat(device.where, ": ifupdown has no place for dhclient_args"));
    }
  }
  layout.files.push_back({"/etc/network/interfaces", text});
  if (has_resolver(network) && !machine.resolver_hook) add_resolver(layout, network);
  if (!network.tables.empty()) {
    layout.files.push_back({"/etc/iproute2/rt_tables", render_route_tables(network, machine.route_tables)});
  }
  add_renaming(layout, network);
  return layout;
}

std::map<std::string, std::string> split_stanzas(const std::string& interfaces) {
  std::map<std::string, std::string> stanzas;
  std::string current;
  for (const std::string& line : split_lines(interfaces)) {
    const std::vector<std::string> words = split_words(line);
    if (words.empty() || words[0][0] == '#') continue;
    const std::string& key = words[0];
    if (key == "auto" || key.compare(0, 6, "allow-") == 0) {
      for (std::size_t i = 1; i < words.size(); ++i) stanzas[words[i]] += cat(key, "\n");
      current.clear();
    } else if (key == "mapping" || key.compare(0, 6, "source") == 0 || key == "rename" || key == "no-scripts") {
      current.clear();
    } else if (key == "iface") {
      current = words.size() > 1 ? words[1] : "";
      if (!current.empty()) stanzas[current] += join(words, " ") + "\n";
    } else if (!current.empty()) {
      stanzas[current] += join(words, " ") + "\n";
    }
  }
  return stanzas;
}

}  // namespace hearth::agent::net
