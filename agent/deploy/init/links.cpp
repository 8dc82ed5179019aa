#include "agent/deploy/init/links.hpp"

#include <fcntl.h>
#include <linux/if_vlan.h>
#include <linux/ipv6.h>
#include <linux/sockios.h>
#include <net/if.h>
#include <net/if_arp.h>
#include <net/route.h>
#include <netinet/in.h>
#include <sys/ioctl.h>
#include <sys/socket.h>

#include <algorithm>
#include <cerrno>
#include <cstring>
#include <functional>

#include "agent/deploy/init/dhcp_message.hpp"
#include "base/error.hpp"
#include "base/sys/fd.hpp"
#include "base/sys/file.hpp"
#include "base/text.hpp"

namespace hearth::agent::deploy {

namespace {

Fd link_socket(int family) { return Fd(::socket(family, SOCK_DGRAM | SOCK_CLOEXEC, 0)); }

/// An ioctl on one interface.
void link_ioctl(unsigned long request, const std::string& interface, const char* doing,
                const std::function<void(ifreq&)>& fill) {
  const Fd socket = link_socket(AF_INET);
  ifreq settings{};
  interface.copy(settings.ifr_name, IFNAMSIZ - 1);
  fill(settings);
  if (::ioctl(socket.get(), request, &settings) != 0) throw Error::from_errno(doing, interface);
}

sockaddr_in inet_address(std::string_view bytes) {
  sockaddr_in address{.sin_family = AF_INET};
  std::memcpy(&address.sin_addr, bytes.data(), std::min(bytes.size(), sizeof address.sin_addr));
  return address;
}

sockaddr_in mask_of(int prefix) {
  const std::uint32_t mask = prefix == 0 ? 0 : ~std::uint32_t{0} << static_cast<unsigned>(32 - prefix);
  return {.sin_family = AF_INET, .sin_addr = {htonl(mask)}};
}

void set_address4(const std::string& interface, const IpBytes& address, int prefix) {
  const auto set = [&interface](unsigned long request, const sockaddr_in& value) {
    link_ioctl(request, interface, "giving an address to",
               [&value](ifreq& settings) { std::memcpy(&settings.ifr_addr, &value, sizeof value); });
  };
  set(SIOCSIFADDR, inet_address(address));
  if (prefix > 0) set(SIOCSIFNETMASK, mask_of(prefix));
}

/// 0, or what kept the kernel from it.
int address6_ioctl(unsigned long request, const std::string& interface, const IpBytes& address, int prefix) {
  in6_ifreq settings{};
  std::memcpy(&settings.ifr6_addr, address.data(), sizeof settings.ifr6_addr);
  settings.ifr6_prefixlen = static_cast<std::uint32_t>(prefix);
  settings.ifr6_ifindex = static_cast<int>(::if_nametoindex(interface.c_str()));
  return ::ioctl(link_socket(AF_INET6).get(), request, &settings) == 0 ? 0 : errno;
}

void set_address6(const std::string& interface, const IpBytes& address, int prefix) {
  const int problem = address6_ioctl(SIOCSIFADDR, interface, address, prefix);
  if (problem != 0 && problem != EEXIST) throw Error::from_errno("giving an address to", interface, problem);
}

int add_route4(const RouteWish& wanted) {
  rtentry route{};
  const sockaddr_in router = inet_address(wanted.router);
  const sockaddr_in network = inet_address(wanted.network);
  const sockaddr_in mask = mask_of(wanted.prefix);
  std::memcpy(&route.rt_gateway, &router, sizeof router);
  std::memcpy(&route.rt_dst, &network, sizeof network);
  std::memcpy(&route.rt_genmask, &mask, sizeof mask);
  route.rt_flags = RTF_UP;
  if (!wanted.router.empty()) route.rt_flags |= RTF_GATEWAY;
  if (wanted.prefix == 32) route.rt_flags |= RTF_HOST;
  std::string name = wanted.interface;
  if (!name.empty()) route.rt_dev = name.data();
  return ::ioctl(link_socket(AF_INET).get(), SIOCADDRT, &route);
}

int add_route6(const RouteWish& wanted) {
  in6_rtmsg route{};
  std::memcpy(&route.rtmsg_dst, wanted.network.data(), sizeof route.rtmsg_dst);
  route.rtmsg_dst_len = static_cast<std::uint16_t>(wanted.prefix);
  route.rtmsg_metric = 1;
  route.rtmsg_flags = RTF_UP;
  if (!wanted.router.empty()) {
    route.rtmsg_flags |= RTF_GATEWAY;
    std::memcpy(&route.rtmsg_gateway, wanted.router.data(), sizeof route.rtmsg_gateway);
  }
  if (!wanted.interface.empty()) route.rtmsg_ifindex = static_cast<int>(::if_nametoindex(wanted.interface.c_str()));
  return ::ioctl(link_socket(AF_INET6).get(), SIOCADDRT, &route);
}

/// sysfs takes one value a write.
void write_attribute(const std::string& path, const std::string& value) {
  const Fd file = Fd::open(path, O_WRONLY);
  if (::write(file.get(), value.data(), value.size()) != static_cast<ssize_t>(value.size())) {
    throw Error::from_errno(cat("writing \"", value, "\" to"), path);
  }
}

using SayWish = std::function<void(const std::string&)>;

/// Does one thing of several: what can't be done is told, and false.
bool attempt_wish(const std::string& word, const SayWish& say, const std::function<void()>& work) {
  try {
    work();
    return true;
  } catch (const Error& error) {
    say(cat(word, ": ", error.what()));
    return false;
  }
}

void name_link(const std::string& name, const std::string& mac, Links& links) {
  if (links.mac_of(name) == mac) return;
  std::vector<std::string> found = links.names();
  std::erase_if(found, [&](const std::string& one) { return links.mac_of(one) != mac; });
  if (found.empty()) throw Error(ErrorKind::not_found, cat("no interface has the address ", mac));
  if (found.size() > 1) {  // one of them by chance would be another one the next time
    throw Error(ErrorKind::input, cat(join(found, " and "), " have the address ", mac, ": which is meant isn't known"));
  }
  links.set_up(found.front(), false);
  links.rename(found.front(), name);
}

/// Of those of its ports that there are and join it, which are left: a bond that lacks one still carries.
void make_bond(BondWish& bond, Links& links, const SayWish& say) {
  const std::string word = cat("the bond ", bond.name);
  std::erase_if(bond.ports, [&](const std::string& port) {
    if (links.mac_of(port).empty()) say(cat(word, ": there is no interface ", port));
    return links.mac_of(port).empty();
  });
  if (bond.ports.empty()) throw Error(ErrorKind::not_found, "none of its interfaces is there");
  links.add_bond(bond);
  std::erase_if(bond.ports, [&](const std::string& port) {
    return !attempt_wish(word, say, [&] { links.add_port(bond.name, port); });
  });
  if (bond.ports.empty()) {  // nothing may be built on it
    links.remove_bond(bond.name);
    throw Error(ErrorKind::io, "none of its interfaces joins it");
  }
  if (bond.mtu != 0) attempt_wish(word, say, [&] { links.set_mtu(bond.name, bond.mtu); });
}

/// A VLAN may be named before the one that it lies within. Of a ring none can be made, which make_vlan() finds.
std::vector<VlanWish> from_below(std::vector<VlanWish> vlans) {
  std::vector<VlanWish> order;
  while (!vlans.empty()) {
    const auto is_ready = [&vlans](const VlanWish& one) {
      return std::none_of(vlans.begin(), vlans.end(),
                          [&one](const VlanWish& other) { return other.name == one.below; });
    };
    auto next = std::find_if(vlans.begin(), vlans.end(), is_ready);
    if (next == vlans.end()) next = vlans.begin();
    order.push_back(*next);
    vlans.erase(next);
  }
  return order;
}

void make_vlan(const VlanWish& vlan, Links& links) {
  if (links.mac_of(vlan.below).empty()) throw Error(ErrorKind::not_found, cat("there is no interface ", vlan.below));
  links.set_up(vlan.below, true);
  links.add_vlan(vlan);
}

/// False when the interface can't be used, or has not got the address that it should have.
bool prepare_link(const InterfaceWish& wish, Links& links, const SayWish& say) {
  const auto attempt = [&](const std::function<void()>& work) {
    return attempt_wish(cat("ip=…:", wish.name), say, work);
  };
  const bool there = attempt([&] {
    if (links.mac_of(wish.name).empty()) throw Error(ErrorKind::not_found, cat("there is no interface ", wish.name));
  });
  if (!there) return false;
  if (!wish.mac.empty() && links.mac_of(wish.name) != wish.mac) {
    attempt([&] {
      links.set_up(wish.name, false);
      links.set_mac(wish.name, wish.mac);
    });
  }
  if (wish.mtu != 0) attempt([&] { links.set_mtu(wish.name, wish.mtu); });
  const bool usable = attempt([&] {
    links.set_up(wish.name, true);
    if (!wish.address.empty()) links.set_address(wish.name, wish.address, wish.prefix);
  });
  if (usable && !wish.router.empty()) {
    attempt([&] { links.add_route({IpBytes(wish.router.size(), '\0'), 0, wish.router, wish.name}); });
  }
  return usable;
}

}  // namespace

std::vector<std::string> RealLinks::names() const { return RealFileSystem().list("/sys/class/net"); }

std::string RealLinks::mac_of(const std::string& interface) const {
  const std::string folder = cat("/sys/class/net/", interface);
  const RealFileSystem files;
  const std::optional<std::string> own = files.read(cat(folder, "/bonding_slave/perm_hwaddr"));
  return std::string(trim(own ? *own : files.read(cat(folder, "/address")).value_or("")));
}

void RealLinks::set_up(const std::string& interface, bool up) {
  short flags = 0;
  const Fd socket = link_socket(AF_INET);
  ifreq settings{};
  interface.copy(settings.ifr_name, IFNAMSIZ - 1);
  if (::ioctl(socket.get(), SIOCGIFFLAGS, &settings) == 0) flags = settings.ifr_flags;
  link_ioctl(SIOCSIFFLAGS, interface, up ? "starting" : "stopping",
             [&](ifreq& wanted) { wanted.ifr_flags = static_cast<short>(up ? flags | IFF_UP : flags & ~IFF_UP); });
}

void RealLinks::rename(const std::string& interface, const std::string& name) {
  link_ioctl(SIOCSIFNAME, interface, cat("calling ", name, " the interface").c_str(),
             [&name](ifreq& settings) { name.copy(settings.ifr_newname, IFNAMSIZ - 1); });
}

void RealLinks::add_bond(const BondWish& bond) {
  const std::string folder = cat("/sys/class/net/", bond.name, "/bonding/");
  if (!RealFileSystem().status(folder)) write_attribute("/sys/class/net/bonding_masters", cat("+", bond.name));
  if (!trim(RealFileSystem().read(cat(folder, "slaves")).value_or("")).empty()) return;  // by an earlier try
  try {
    for (const auto& [option, value] : bond.options) {
      const bool list = option == "arp_ip_target" || option == "ns_ip6_target";
      for (const std::string& one : split(value, ';')) write_attribute(cat(folder, option), list ? cat("+", one) : one);
    }
  } catch (const Error&) {
    remove_bond(bond.name);
    throw;
  }
}

void RealLinks::add_port(const std::string& bond, const std::string& port) {
  const std::string path = cat("/sys/class/net/", bond, "/bonding/slaves");
  const std::vector<std::string> ports = split_words(RealFileSystem().read(path).value_or(""));
  if (std::find(ports.begin(), ports.end(), port) != ports.end()) return;
  set_up(port, false);
  write_attribute(path, cat("+", port));
}

void RealLinks::remove_bond(const std::string& bond) {
  write_attribute("/sys/class/net/bonding_masters", cat("-", bond));
}

void RealLinks::add_vlan(const VlanWish& vlan) {
  if (RealFileSystem().status(cat("/proc/net/vlan/", vlan.name))) return;  // by an earlier try
  if (!mac_of(vlan.name).empty()) throw Error(ErrorKind::input, cat("another interface is called ", vlan.name));
  // By the kernel's own name first: which one it chooses depends on a setting of the whole machine.
  vlan_ioctl_args args{};
  args.cmd = SET_VLAN_NAME_TYPE_CMD;
  args.u.name_type = VLAN_NAME_TYPE_RAW_PLUS_VID_NO_PAD;
  const Fd socket = link_socket(AF_INET);
  if (::ioctl(socket.get(), SIOCSIFVLAN, &args) != 0) throw Error::from_errno("making the VLAN", vlan.name);
  args = {};
  args.cmd = ADD_VLAN_CMD;
  vlan.below.copy(args.device1, sizeof args.device1 - 1);
  args.u.VID = vlan.id;
  if (::ioctl(socket.get(), SIOCSIFVLAN, &args) != 0) throw Error::from_errno("making the VLAN", vlan.name);
  const std::string made = cat(vlan.below, ".", vlan.id);
  if (made != vlan.name) rename(made, vlan.name);
}

void RealLinks::set_mac(const std::string& interface, const std::string& mac) {
  const std::optional<MacAddress> bytes = parse_mac(mac);
  if (!bytes) throw Error(ErrorKind::input, cat(mac, " is no MAC address"));
  link_ioctl(SIOCSIFHWADDR, interface, "giving a MAC address to", [&bytes](ifreq& settings) {
    settings.ifr_hwaddr.sa_family = ARPHRD_ETHER;
    std::memcpy(settings.ifr_hwaddr.sa_data, bytes->data(), bytes->size());
  });
}

void RealLinks::set_mtu(const std::string& interface, std::uint16_t mtu) {
  link_ioctl(SIOCSIFMTU, interface, "setting the MTU of", [mtu](ifreq& settings) { settings.ifr_mtu = mtu; });
}

void RealLinks::set_address(const std::string& interface, const IpBytes& address, int prefix) {
  address.size() == 4 ? set_address4(interface, address, prefix) : set_address6(interface, address, prefix);
}

void RealLinks::drop_address(const std::string& interface, const IpBytes& address, int prefix) {
  if (address.size() == 4) return set_address4(interface, IpBytes(4, '\0'), 0);
  const int problem = address6_ioctl(SIOCDIFADDR, interface, address, prefix);
  if (problem != 0 && problem != EADDRNOTAVAIL) throw Error::from_errno("taking an address from", interface, problem);
}

void RealLinks::add_route(const RouteWish& route) {
  const int done = route.network.size() == 4 ? add_route4(route) : add_route6(route);
  if (done == 0 || errno == EEXIST) return;
  throw Error::from_errno("setting the route to", cat(ip_text(route.network), "/", route.prefix, " by ",
                                                      route.router.empty() ? route.interface : ip_text(route.router)));
}

void move_address6(const std::string& interface, const IpBytes& before, const IpBytes& now, Links& links) {
  constexpr int whole = 128;  // a lease says nothing of what else is on the link
  if (before == now) return;
  if (!now.empty()) links.set_address(interface, now, whole);
  if (!before.empty()) links.drop_address(interface, before, whole);
}

NetworkWish apply_wish(NetworkWish wish, const std::function<std::string()>& boot_interface, Links& links,
                       const SayWish& say) {
  for (const auto& [name, mac] : wish.names) {
    attempt_wish(cat("ifname=", name), say, [&, &name = name, &mac = mac] { name_link(name, mac, links); });
  }
  std::vector<BondWish> bonds;
  for (BondWish& bond : wish.bonds) {
    if (attempt_wish(cat("the bond ", bond.name), say, [&] { make_bond(bond, links, say); })) bonds.push_back(bond);
  }
  wish.bonds = std::move(bonds);
  wish.vlans = from_below(std::move(wish.vlans));
  std::erase_if(wish.vlans, [&](const VlanWish& vlan) {
    return !attempt_wish(cat("the VLAN ", vlan.name), say, [&] { make_vlan(vlan, links); });
  });
  for (InterfaceWish& one : wish.interfaces) {
    if (one.name.empty() && !one.address.empty()) one.name = boot_interface();
  }
  std::erase_if(wish.interfaces,
                [&](const InterfaceWish& one) { return !one.name.empty() && !prepare_link(one, links, say); });
  for (const RouteWish& route : wish.routes) {
    attempt_wish("rd.route", say, [&] { links.add_route(route); });
  }
  return wish;
}

}  // namespace hearth::agent::deploy
