// The site as the boot servers see it: networks, machines, and what each is to boot. A value, read from one JSON file.
#pragma once

#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "base/result.hpp"
#include "pxe/boot/node.hpp"
#include "pxe/net/address.hpp"

namespace hearth::pxe {

struct Network {
  Subnet subnet;
  Ipv4 server;  ///< our address on it, or the one by which its relay reaches us
  std::vector<AddressRange> pools;
  std::vector<Ipv4> routers, dns, ntp;
  std::string domain;
  std::vector<std::string> search;
  std::uint32_t lease_s = 3600;
  std::uint16_t mtu = 0;  ///< 0 = not told
};

/// What a machine gets that is in no inventory.
enum class UnknownPolicy { local, inspect, ignore };
enum class Mode { full, proxy };

struct Site {
  Mode mode = Mode::full;
  std::vector<std::string> interfaces;
  std::vector<Network> networks;
  std::vector<Node> nodes;                ///< as the file lists them; who serves puts them into a NodeTable
  std::map<BootState, Profile> profiles;  ///< of deploy, inspect, rescue
  UnknownPolicy unknown = UnknownPolicy::local;
  std::string root;       ///< further files to serve; empty = none
  std::string state_dir;  ///< for leases
  std::uint16_t http_port = 80;
  std::uint16_t https_port = 443;  ///< served where there is a certificate
  std::string tls_certificate;     ///< PEM files; empty = no HTTPS
  std::string tls_key;
  std::uint16_t tftp_port = 69;
  std::vector<Ipv4> allowed_servers;  ///< other DHCP servers that are meant to be there

  [[nodiscard]] const Network* network_of(Ipv4 address) const;
  /// Whether an address is this server's, or the network's own: never a machine's.
  [[nodiscard]] bool is_own(Ipv4 address) const;
};

/// Why a running server can't go on with another site; empty when it can.
[[nodiscard]] std::string reload_fault(const Site& now, const Site& next);

/// All that is wrong is told, a line each ("site.json:12:7: nodes[3].mac: …").
[[nodiscard]] Result<Site> parse_site(std::string_view text, std::string_view source);

}  // namespace hearth::pxe
