#include "agent/net/networkd.hpp"

#include <algorithm>

#include "agent/net/bonding.hpp"
#include "base/error.hpp"
#include "base/text.hpp"

namespace hearth::agent::net {

namespace {

std::string file_name(const Device& device, std::string_view suffix) {
  return cat(k_networkd_folder, k_networkd_prefix, device.name, suffix);
}

void refuse_foreign(const Network& network) {
  for (const Device& device : network.devices) {
    if (!device.is_ovs() && device.kind != Kind::linux_team) continue;
    const bool team = device.kind == Kind::linux_team;
    throw Error(ErrorKind::unsupported, cat(device.where, ": systemd-networkd can't make ", device.name,
                                            team ? ", a team" : ", which is Open vSwitch's"))
        .hint(team ? "Use a linux_bond, or --provider ifcfg." : "Use --provider eni or ifcfg, or a linux_bridge.");
  }
}

std::string netdev_file(const Device& device) {
  std::string text = cat(k_generated, "[NetDev]\nName=", device.name, "\n");
  if (!device.primary_mac.empty()) text += cat("MACAddress=", device.primary_mac, "\n");
  if (device.mtu != 0) text += cat("MTUBytes=", device.mtu, "\n");
  switch (device.kind) {
    case Kind::vlan: return cat(text, "Kind=vlan\n\n[VLAN]\nId=", device.vlan_id, "\n");
    case Kind::linux_bridge: return cat(text, "Kind=bridge\n\n[Bridge]\nForwardDelaySec=0\n");
    case Kind::linux_tap: return cat(text, "Kind=tap\n");
    case Kind::ib_child: return cat(text, "Kind=ipoib\n\n[IPoIB]\nPartitionKey=", device.pkey, "\n");
    case Kind::linux_bond: return cat(text, "Kind=bond\n\n[Bond]\n", parse_bonding_options(device).for_netdev());
    default: return "";
  }
}

/// Everything that a .network holds of one device.
class NetworkFile {
 public:
  NetworkFile(const Device& device, const Network& network) : device_(device), network_(network) {}

  [[nodiscard]] std::string text() const {
    return cat(k_generated, "[Match]\nName=", device_.name, "\n", link(), "\n[Network]\n", port(), upper_devices(),
               addressing(), dhcp(), route_sections(device_, network_));
  }

 private:
  [[nodiscard]] std::string link() const {
    std::string text;
    if (device_.mtu != 0) text += cat("MTUBytes=", device_.mtu, "\n");
    if (!device_.onboot) text += "ActivationPolicy=manual\n";
    if (!device_.onboot || device_.hotplug) text += "RequiredForOnline=no\n";
    return text.empty() ? "" : cat("\n[Link]\n", text);
  }

  [[nodiscard]] std::string port() const {
    if (device_.master_kind == Kind::linux_bridge) return cat("Bridge=", device_.master, "\n");
    if (device_.master_kind != Kind::linux_bond) return "";
    const Device* bond = network_.find(device_.master);
    const bool primary = bond != nullptr && parse_bonding_options(*bond).primary == device_.name;
    return cat("Bond=", device_.master, "\n", primary ? "PrimarySlave=yes\n" : "");
  }

  /// Vlans and partitions are attached by the device below them.
  [[nodiscard]] std::string upper_devices() const {
    std::string text;
    for (const Device& upper : network_.devices) {
      if (upper.lower != device_.name) continue;
      text += cat(upper.kind == Kind::ib_child ? "IPoIB=" : "VLAN=", upper.name, "\n");
    }
    return text;
  }

  [[nodiscard]] std::string addressing() const {
    std::string text;
    if (device_.dhcp || device_.dhcp6) {
      text += cat("DHCP=", device_.dhcp && device_.dhcp6 ? "yes" : device_.dhcp ? "ipv4" : "ipv6", "\n");
    }
    for (const Address& address : device_.addresses) text += cat("Address=", address.text(), "\n");
    for (const std::string& server : device_.dns_servers) text += cat("DNS=", server, "\n");
    if (!device_.domains.empty()) text += cat("Domains=", join(device_.domains, " "), "\n");
    const bool plain = !device_.dhcp && !device_.dhcp6 && device_.addresses.empty();
    if (plain) text += "LinkLocalAddressing=no\n";
    if (plain || (device_.has_addresses(true) && !device_.dhcp6)) text += "IPv6AcceptRA=no\n";
    // A bridge or bond without ports, and a device whose upper ones matter, must come up all the same.
    if (device_.kind == Kind::linux_bridge) text += "ConfigureWithoutCarrier=yes\n";
    return text;
  }

  [[nodiscard]] std::string dhcp() const {
    if (device_.defroute) return "";
    std::string text;
    if (device_.dhcp) text += "\n[DHCPv4]\nUseGateway=no\n";
    if (device_.dhcp6) text += "\n[IPv6AcceptRA]\nUseGateway=no\n";
    return text;
  }

  const Device& device_;
  const Network& network_;
};

/// "speed 1000 duplex full autoneg on" as keys of [Link].
std::string ethtool_keys(const Device& device, Layout& layout) {
  std::string text;
  const std::vector<std::string> words = split_words(device.ethtool_opts);
  for (std::size_t i = 0; i + 1 < words.size(); i += 2) {
    if (words[i] == "speed") {
      text += cat("BitsPerSecond=", words[i + 1], "M\n");
    } else if (words[i] == "duplex") {
      text += cat("Duplex=", words[i + 1], "\n");
    } else if (words[i] == "autoneg") {
      text += cat("AutoNegotiation=", words[i + 1], "\n");
    } else {
      layout.warnings.push_back(cat(device.where, ": ethtool_opts: systemd.link has nothing for '", words[i], "'"));
    }
  }
  return text;
}

/// Renaming and link settings; empty when there is neither. The first .link file that matches a card is the only one
/// that counts, so it also says what the distribution's own says.
std::string link_file(const Device& device, Layout& layout) {
  const bool renames = !device.hwaddr.empty() && device.name.find('.') == std::string::npos;
  const std::string keys = ethtool_keys(device, layout);
  if (!renames && keys.empty()) return "";
  const std::string match = renames ? cat("MACAddress=", device.hwaddr) : cat("OriginalName=", device.name);
  const std::string name = renames ? cat("Name=", device.name) : "NamePolicy=keep kernel database onboard slot path";
  return cat(k_generated, "[Match]\n", match, "\n\n[Link]\n", name, "\n", keys);
}

/// Devices that vlans lie on, but which the file does not list, need a .network all the same.
Network with_lower_devices(const Network& network) {
  Network whole = network;
  for (const Device& device : network.devices) {
    if (device.lower.empty() || whole.find(device.lower) != nullptr) continue;
    Device lower{.kind = Kind::interface, .where = device.where, .name = device.lower};
    lower.onboot = true;
    whole.devices.push_back(std::move(lower));
  }
  return whole;
}

}  // namespace

Layout render_networkd(const Network& network, const std::string& route_tables) {
  refuse_foreign(network);
  Layout layout;
  const Network whole = with_lower_devices(network);
  for (const Device& device : in_start_order(whole)) {
    const std::string netdev = netdev_file(device);
    const std::string text = NetworkFile(device, whole).text();
    const std::string link = link_file(device, layout);
    layout.files.push_back({file_name(device, ".netdev"), netdev});
    layout.files.push_back({file_name(device, ".network"), text});
    layout.files.push_back({file_name(device, ".link"), link});
    layout.units.push_back(unit_of(device, whole, cat(netdev, text, link)));
    if (!device.dhclient_args.empty()) {
      layout.warnings.push_back(cat(device.where, ": systemd-networkd has no use for dhclient_args"));
    }
  }
  if (!network.tables.empty()) {
    layout.files.push_back({"/etc/iproute2/rt_tables", render_route_tables(network, route_tables)});
  }
  return layout;
}

}  // namespace hearth::agent::net
