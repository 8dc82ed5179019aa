// What os-net-config's file says, as values: devices with their addresses, routes and rules, in the order of the file,
// a master before its members. Names are real device names by now; aliases (nic1) have been resolved.
#pragma once

#include <map>
#include <optional>
#include <string>
#include <vector>

namespace hearth::agent::net {

enum class Kind {
  interface,
  vlan,
  linux_bridge,
  linux_bond,
  linux_team,
  ovs_bridge,
  ovs_user_bridge,
  ovs_bond,
  ovs_tunnel,
  ovs_patch_port,
  ib_interface,
  ib_child,
  linux_tap,
};

struct Address {
  std::string ip;
  int prefix = 0;
  bool v6 = false;
  /// "192.0.2.1/24".
  [[nodiscard]] std::string text() const;
  /// "255.255.255.0"; for IPv6 the prefix length.
  [[nodiscard]] std::string netmask() const;
};

struct Route {
  std::string next_hop;     ///< "self": on the link, without a gateway
  std::string destination;  ///< "10.0.0.0/8"; empty only for a default route
  bool is_default = false;
  std::string options;  ///< as ip-route(8) takes them
  std::string table;    ///< number or name; empty = main
  std::string metric;
  [[nodiscard]] bool on_link() const { return next_hop == "self"; }
  [[nodiscard]] bool v6() const;
  /// Where it leads: "default", or the destination.
  [[nodiscard]] std::string target() const { return destination.empty() ? "default" : destination; }
};

struct Rule {
  std::string rule;  ///< as ip-rule(8) takes it, with or without "add" before it
  std::string comment;
};

/// A card that has functions (SR-IOV). Empty texts: as it is.
struct PhysicalFunction {
  int numvfs = 0;
  std::string mode;      ///< "switchdev"
  std::string steering;  ///< mlx5's: smfs, dmfs
  std::string promisc;   ///< on, off
};

struct VirtualFunction {
  std::string device;  ///< the card
  int id = 0;
  std::string words;  ///< " vlan 5 qos 2", as ip link set dev CARD vf NUMBER takes them
  std::string spoofcheck;
  std::string trust;
  std::string promisc;
};

struct Device {
  Kind kind = Kind::interface;
  std::string where;  ///< its place in the file: "network_config/0/members/1"
  std::string name;
  std::string device_now;  ///< the name that it has now, when an alias is to become its name
  std::string hwaddr;      ///< its MAC, in the same case
  bool dhcp = false;
  bool dhcp6 = false;
  bool defroute = true;
  bool primary = false;
  bool hotplug = false;
  bool onboot = true;
  bool nm_controlled = false;
  std::vector<Address> addresses;
  std::vector<Route> routes;
  std::vector<Rule> rules;
  int mtu = 0;
  std::string dhclient_args;
  std::vector<std::string> dns_servers;
  std::vector<std::string> domains;
  bool domain_is_list = false;
  std::string ethtool_opts;
  int linkdelay = 0;
  int vlan_id = 0;
  std::string lower;  ///< the device that a vlan or InfiniBand child lies on
  int pkey = 0;
  std::string bonding_options;
  std::string ovs_options;
  std::vector<std::string> ovs_extra;
  std::string tunnel_type;
  std::string peer;
  std::optional<PhysicalFunction> pf;
  std::optional<VirtualFunction> vf;

  Kind master_kind = Kind::interface;  ///< of `master`
  std::string master;                  ///< the bridge, bond or team that it is a port of
  std::string ovs_bridge;              ///< the Open vSwitch bridge that it is a port of
  std::vector<std::string> members;    ///< names, in the order of the file
  std::string primary_member;
  std::string primary_mac;

  [[nodiscard]] bool has_addresses(bool v6) const;
  [[nodiscard]] bool is_ovs() const;
  /// Made by us, and gone after we delete it: vlan, bridge, bond, InfiniBand child, tap.
  [[nodiscard]] bool is_virtual() const;
};

struct Network {
  std::vector<Device> devices;
  std::map<int, std::string> tables;  ///< names of routing tables, by number

  [[nodiscard]] const Device* find(const std::string& name) const;
};

}  // namespace hearth::agent::net
