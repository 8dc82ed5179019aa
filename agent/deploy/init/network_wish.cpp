#include "agent/deploy/init/network_wish.hpp"

#include <arpa/inet.h>

#include <algorithm>
#include <array>

#include "agent/deploy/init/dhcp_message.hpp"
#include "base/byte_order.hpp"
#include "base/error.hpp"
#include "base/text.hpp"

namespace hearth::agent::deploy {

namespace {

using Fields = std::vector<std::string>;

constexpr std::size_t k_longest_interface = 15;  // IFNAMSIZ
constexpr std::uint16_t k_least_mtu = 576;

Error wrong_word(const std::string& what) { return {ErrorKind::input, what}; }

/// The fields between colons; an IPv6 address stands in brackets, which go.
Fields fields_of(const std::string& value) {
  Fields fields{""};
  bool inside = false;
  for (const char c : value) {
    if (c == '[' && fields.back().empty() && !inside) {
      inside = true;
    } else if (c == ']' && inside) {
      inside = false;
    } else if (c == ':' && !inside) {
      fields.emplace_back();
    } else {
      fields.back().push_back(c);
    }
  }
  if (inside) throw wrong_word("a bracket is not closed");
  return fields;
}

std::string field_at(const Fields& fields, std::size_t index) { return index < fields.size() ? fields[index] : ""; }

/// The fields from `index` on, as they stood: a MAC has colons itself.
std::string fields_from(const Fields& fields, std::size_t index) {
  if (index >= fields.size()) return "";
  return join(Fields(fields.begin() + static_cast<std::ptrdiff_t>(index), fields.end()), ":");
}

std::string wished_name(const std::string& text) {
  const bool fits = !text.empty() && text.size() <= k_longest_interface && text != "." && text != ".." &&
                    std::all_of(text.begin(), text.end(), [](char c) { return c > ' ' && c <= '~' && c != '/'; });
  if (!fits) throw wrong_word(cat("\"", text, "\" is no interface's name"));
  return text;
}

IpBytes wished_address(const std::string& text, const char* what) {
  IpBytes address = ip_bytes(text);
  if (address.empty()) throw wrong_word(cat("\"", text, "\" is no ", what));
  return address;
}

/// One that a machine can have.
IpBytes wished_host(const std::string& text, const char* what) {
  IpBytes address = wished_address(text, what);
  const auto first = static_cast<unsigned char>(address[0]);
  const bool fits = address.size() == 4 ? is_host(get_be<Ipv4>(address, 0)) : first != 0 && first != 0xff;
  if (!fits) throw wrong_word(cat("no machine can have the address ", text));
  return address;
}

std::uint16_t wished_mtu(const std::string& text) {
  if (text.empty()) return 0;
  const auto mtu = parse_number(text);
  if (!mtu || *mtu < k_least_mtu || *mtu > 65535) throw wrong_word(cat("\"", text, "\" is no MTU"));
  return static_cast<std::uint16_t>(*mtu);
}

std::string wished_mac(const std::string& text) {
  std::string mac = mac_of_bootif(text);
  if (mac.empty()) throw wrong_word(cat("\"", text, "\" is no MAC address"));
  return mac;
}

/// 24, or 255.255.255.0.
int prefix_of(const std::string& text, const IpBytes& address) {
  const std::uint64_t most = address.size() * 8;
  if (const auto number = parse_number(text); number && *number <= most) return static_cast<int>(*number);
  const IpBytes mask = address.size() == 4 ? ip_bytes(text) : "";
  int prefix = 0;
  for (const char c : mask) {
    for (int bit = 7; bit >= 0; --bit) prefix += (static_cast<unsigned char>(c) >> static_cast<unsigned>(bit)) & 1;
  }
  Ipv4 whole = 0;
  for (const char c : mask) whole = whole << 8U | static_cast<unsigned char>(c);
  const bool contiguous = (~whole & (~whole + 1)) == 0;
  if (mask.size() != 4 || !contiguous) throw wrong_word(cat("\"", text, "\" is no netmask"));
  return prefix;
}

Method method_of(const std::string& text) {
  if (text == "dhcp" || text == "on" || text == "any" || text == "single-dhcp") return Method::dhcp;
  if (text == "dhcp6") return Method::dhcp6;
  if (text == "auto6") return Method::auto6;
  if (text == "either6") return Method::either6;
  if (text == "none" || text == "off" || text == "link6" || text.empty()) return Method::none;
  if (text == "ibft" || text == "link-local" || text == "shared")
    throw wrong_word(cat("the ramdisk has no method ", text));
  throw wrong_word(cat("\"", text, "\" is no method: dhcp, dhcp6, auto6, either6, link6 or none"));
}

bool is_plain_number(const std::string& text) { return parse_number(text).has_value(); }

/// ip=ADDRESS:PEER:ROUTER:MASK:HOST:INTERFACE:METHOD, then MTU and MAC or two name servers.
InterfaceWish static_interface(const Fields& fields, NetworkWish& wish) {
  InterfaceWish interface;
  interface.method = method_of(field_at(fields, 6));
  if (!field_at(fields, 1).empty()) throw wrong_word("the ramdisk sets no peer's address");
  if (!field_at(fields, 0).empty()) {
    if (interface.method != Method::none) throw wrong_word(cat("an address and the method ", field_at(fields, 6)));
    interface.address = wished_host(field_at(fields, 0), "address");
    interface.prefix = prefix_of(field_at(fields, 3), interface.address);
  }
  if (!field_at(fields, 2).empty()) {
    interface.router = wished_host(field_at(fields, 2), "gateway");
    if (interface.router.size() != interface.address.size())
      throw wrong_word("address and gateway are of two families");
  }
  interface.hostname = field_at(fields, 4);
  if (!field_at(fields, 5).empty()) interface.name = wished_name(field_at(fields, 5));
  const std::string eighth = field_at(fields, 7);
  if (eighth.empty() || is_plain_number(eighth)) {
    interface.mtu = wished_mtu(eighth);
    if (!fields_from(fields, 8).empty()) interface.mac = wished_mac(fields_from(fields, 8));
  } else {
    for (const std::string& server : Fields(fields.begin() + 7, fields.end())) {
      if (!server.empty()) wish.name_servers.push_back(wished_host(server, "name server"));
    }
  }
  return interface;
}

void read_ip(const std::string& value, NetworkWish& wish) {
  if (value.empty()) throw wrong_word("it says nothing");
  const Fields fields = fields_of(value);
  if (fields.size() == 1) {
    wish.interfaces.push_back({.method = method_of(fields[0])});
    return;
  }
  if (fields[0].empty() || !ip_bytes(fields[0]).empty()) {
    wish.interfaces.push_back(static_interface(fields, wish));
    return;
  }
  InterfaceWish interface { .name = wished_name(fields[0]), .method = method_of(fields[1]) };
  interface.mtu = wished_mtu(field_at(fields, 2));
  if (!fields_from(fields, 3).empty()) interface.mac = wished_mac(fields_from(fields, 3));
  wish.interfaces.push_back(interface);
}

/// vlan=NAME:INTERFACE; the number is what NAME ends with ("vlan5", "vlan0005", "eth0.5").
void read_vlan(const std::string& value, NetworkWish& wish) {
  const Fields fields = fields_of(value);
  if (fields.size() != 2) throw wrong_word("it should be NAME:INTERFACE");
  const std::string name = wished_name(fields[0]);
  const auto id = parse_number(name.substr(name.find_last_not_of("0123456789") + 1));
  if (!id || *id < 1 || *id > 4094) throw wrong_word(cat("\"", name, "\" ends with no VLAN's number (1 to 4094)"));
  wish.vlans.push_back({name, wished_name(fields[1]), static_cast<std::uint16_t>(*id)});
}

std::pair<std::string, std::string> bond_option(const std::string& text) {
  const std::size_t equals = text.find('=');
  const std::string name = text.substr(0, equals);
  const bool plain =
      !name.empty() && name.find_first_not_of("abcdefghijklmnopqrstuvwxyz0123456789_") == std::string::npos;
  if (!plain || equals == std::string::npos || equals + 1 == text.size())
    throw wrong_word(cat("\"", text, "\" is no option of a bond"));
  return {name, text.substr(equals + 1)};
}

/// bond=NAME:PORT,PORT:OPTION=VALUE,…:MTU; what is left out is dracut's bond0:eth0,eth1:mode=balance-rr.
void read_bond(const std::string& value, NetworkWish& wish) {
  // Options may hold addresses of IPv6, whose brackets are no concern of the fields around them.
  Fields fields = split(value, ':');
  BondWish bond{.name = wished_name(fields[0].empty() ? "bond0" : fields[0])};
  const std::string ports = fields.size() > 1 ? fields[1] : "eth0,eth1";
  for (const std::string& port : split(ports, ',')) bond.ports.push_back(wished_name(port));
  const std::string options = field_at(fields, 2).empty() ? "mode=balance-rr" : fields[2];
  for (const std::string& option : split(options, ',')) bond.options.push_back(bond_option(option));
  std::stable_partition(bond.options.begin(), bond.options.end(), [](const auto& one) { return one.first == "mode"; });
  bond.mtu = wished_mtu(field_at(fields, 3));
  if (fields.size() > 4) throw wrong_word("there are fields after the MTU");
  wish.bonds.push_back(std::move(bond));
}

void read_name(const std::string& value, NetworkWish& wish) {
  const std::size_t colon = value.find(':');
  if (colon == std::string::npos) throw wrong_word("it should be NAME:MAC");
  wish.names.emplace_back(wished_name(value.substr(0, colon)), wished_mac(value.substr(colon + 1)));
}

/// rd.route=NETWORK/PREFIX:ROUTER[:INTERFACE]
void read_route(const std::string& value, NetworkWish& wish) {
  const Fields fields = fields_of(value);
  // The prefix may stand behind the bracket or within it.
  const std::size_t slash = fields[0].find('/');
  RouteWish route;
  route.network = wished_address(fields[0].substr(0, slash), "network");
  const int all = static_cast<int>(route.network.size()) * 8;
  route.prefix = slash == std::string::npos ? all : prefix_of(fields[0].substr(slash + 1), route.network);
  if (!field_at(fields, 1).empty()) route.router = wished_host(fields[1], "gateway");
  if (!route.router.empty() && route.router.size() != route.network.size()) {
    throw wrong_word("network and gateway are of two families");
  }
  if (!field_at(fields, 2).empty()) route.interface = wished_name(fields[2]);
  if (route.router.empty() && route.interface.empty()) throw wrong_word("it names neither a gateway nor an interface");
  wish.routes.push_back(std::move(route));
}

void read_name_server(const std::string& value, NetworkWish& wish) {
  wish.name_servers.push_back(wished_address(value, "address"));
}

void read_peer_dns(const std::string& value, NetworkWish& wish) {
  if (value != "0" && value != "1") throw wrong_word("it should be 0 or 1");
  wish.peer_dns = value == "1";
}

[[noreturn]] void refuse_word(const std::string& /*value*/, NetworkWish& /*wish*/) {
  throw wrong_word("the ramdisk does not do this");
}

struct WordRow {
  const char* name;
  void (*read)(const std::string& value, NetworkWish& wish);
};

constexpr WordRow k_word_rows[] = {{"ip", read_ip},
                                   {"vlan", read_vlan},
                                   {"bond", read_bond},
                                   {"ifname", read_name},
                                   {"rd.route", read_route},
                                   {"nameserver", read_name_server},
                                   {"rd.peerdns", read_peer_dns},
                                   {"bridge", refuse_word},
                                   {"team", refuse_word},
                                   {"rd.znet", refuse_word},
                                   {"ipa-enable-vlan-interfaces", refuse_word}};

}  // namespace

std::string ip_text(const IpBytes& address) {
  std::array<char, INET6_ADDRSTRLEN> text{};
  if (address.size() != 4 && address.size() != 16) return "";
  const int family = address.size() == 4 ? AF_INET : AF_INET6;
  return ::inet_ntop(family, address.data(), text.data(), text.size());
}

IpBytes ip_bytes(std::string_view text) {
  if (text.size() > 2 && text.front() == '[' && text.back() == ']') text = text.substr(1, text.size() - 2);
  std::array<char, 16> bytes{};
  const std::string word(text);
  if (::inet_pton(AF_INET, word.c_str(), bytes.data()) == 1) return {bytes.data(), 4};
  if (::inet_pton(AF_INET6, word.c_str(), bytes.data()) == 1) return {bytes.data(), 16};
  return "";
}

NetworkWish network_wish(const std::vector<KernelWord>& words) {
  NetworkWish wish;
  for (const auto& [name, value] : words) {
    const auto* const row = std::find_if(std::begin(k_word_rows), std::end(k_word_rows),
                                         [&name = name](const WordRow& one) { return name == one.name; });
    if (row == std::end(k_word_rows)) continue;
    try {
      row->read(value, wish);
    } catch (const Error& error) {
      wish.problems.push_back(cat(name, "=", value, " is left out: ", error.what()));
    }
  }
  return wish;
}

}  // namespace hearth::agent::deploy
