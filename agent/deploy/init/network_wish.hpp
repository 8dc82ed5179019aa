// What the kernel command line says about the network, in dracut's words (dracut.cmdline(7)): ip=, vlan=, bond=,
// ifname=, nameserver=, rd.route=, rd.peerdns=.
#pragma once

#include <cstdint>
#include <string>
#include <utility>
#include <vector>

#include "agent/deploy/ground/kernel_line.hpp"

namespace hearth::agent::deploy {

/// 4 or 16 bytes, in the order of the wire; empty = none.
using IpBytes = std::string;

[[nodiscard]] std::string ip_text(const IpBytes& address);
/// Nothing but addresses; brackets around one of IPv6 are taken away. Empty when it is none.
[[nodiscard]] IpBytes ip_bytes(std::string_view text);

/// Where an interface's addresses come from. `automatic` is what happens where no ip= stands: DHCP, and IPv6 as routers
/// say.
enum class Method { automatic, none, dhcp, dhcp6, auto6, either6 };

struct InterfaceWish {
  std::string
      name;  ///< empty: all that there are; with an address, the one that the machine booted from, or has a link
  Method method = Method::automatic;
  IpBytes address;
  int prefix = 0;
  IpBytes router;
  std::string hostname;
  std::string mac;  ///< instead of its own
  std::uint16_t mtu = 0;
  [[nodiscard]] bool asks4() const { return method == Method::automatic || method == Method::dhcp; }
  [[nodiscard]] bool asks6() const { return method != Method::none && method != Method::dhcp; }
};

struct BondWish {
  std::string name;
  std::vector<std::string> ports;
  std::vector<std::pair<std::string, std::string>> options;  ///< mode first
  std::uint16_t mtu = 0;
};

struct VlanWish {
  std::string name;
  std::string below;
  std::uint16_t id = 0;
};

struct RouteWish {
  IpBytes network;
  int prefix = 0;
  IpBytes router;         ///< empty = the network is on the link
  std::string interface;  ///< empty = whichever reaches the router
};

struct NetworkWish {
  std::vector<std::pair<std::string, std::string>> names;  ///< ifname=: a name, and the MAC of who gets it
  std::vector<BondWish> bonds;
  std::vector<VlanWish> vlans;
  std::vector<InterfaceWish> interfaces;
  std::vector<RouteWish> routes;
  std::vector<IpBytes> name_servers;
  bool peer_dns = true;               ///< rd.peerdns: name servers that the network tells of are taken, too
  std::vector<std::string> problems;  ///< words that were left out, and why
};

/// Words that do not concern the network are no concern of this.
[[nodiscard]] NetworkWish network_wish(const std::vector<KernelWord>& words);

}  // namespace hearth::agent::deploy
