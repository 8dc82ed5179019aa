// DHCP messages of a client (RFC 2131, RFC 2132), as values.
#pragma once

#include <array>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace hearth::agent::deploy {

using MacAddress = std::array<std::uint8_t, 6>;
using Ipv4 = std::uint32_t;  ///< in the order of the host; 0 = none

/// Whether a machine on a network can have it: not 0.x, 127.x, multicast, reserved or broadcast.
[[nodiscard]] bool is_host(Ipv4 address);

enum class DhcpKind : std::uint8_t { discover = 1, offer = 2, request = 3, ack = 5, nak = 6 };

struct DhcpQuestion {
  DhcpKind kind = DhcpKind::discover;
  std::uint32_t transaction = 0;
  MacAddress mac{};
  Ipv4 requested = 0;
  Ipv4 server = 0;
};

/// Answers are asked for by broadcast: the interface has no address yet.
[[nodiscard]] std::string encode_dhcp(const DhcpQuestion& question);

/// One that option 121 tells of (RFC 3442).
struct DhcpRoute {
  Ipv4 network = 0;
  Ipv4 mask = 0;
  Ipv4 router = 0;  ///< 0 = the network is on the link itself
  bool operator==(const DhcpRoute&) const = default;
};

struct DhcpAnswer {
  DhcpKind kind = DhcpKind::offer;
  Ipv4 address = 0;  ///< 0 where it is none that a machine can have
  Ipv4 mask = 0;
  Ipv4 router = 0;                ///< option 3; not used where there are routes
  std::vector<DhcpRoute> routes;  ///< of option 121, the default one among them
  Ipv4 server = 0;
  std::vector<Ipv4> name_servers;
  std::vector<Ipv4> time_servers;
  std::string domain;
  std::string hostname;
  std::uint16_t mtu = 0;  ///< 0 = not told
  std::uint32_t lease_seconds = 0;
};

/// Nothing for what is no answer to this transaction of this interface.
[[nodiscard]] std::optional<DhcpAnswer> parse_dhcp(std::string_view bytes, std::uint32_t transaction,
                                                   const MacAddress& mac);

/// The routes to set, the default one last; without it where it is not wanted.
[[nodiscard]] std::vector<DhcpRoute> routes_of(const DhcpAnswer& lease, bool default_route);

[[nodiscard]] std::string ipv4_text(Ipv4 address);
/// The four bytes, as they go over the wire.
[[nodiscard]] std::string ipv4_bytes(Ipv4 address);
/// "aa:bb:cc:dd:ee:ff"; nothing when it is none.
[[nodiscard]] std::optional<MacAddress> parse_mac(std::string_view text);

}  // namespace hearth::agent::deploy
