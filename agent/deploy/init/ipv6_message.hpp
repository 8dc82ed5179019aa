// What IPv6 routers and DHCPv6 servers say, as values: router advertisements (RFC 4861, RFC 8106) and a DHCPv6
// client's messages (RFC 8415).
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "agent/deploy/init/dhcp_message.hpp"
#include "agent/deploy/init/network_wish.hpp"

namespace hearth::agent::deploy {

/// fe80::/10, which means nothing without an interface.
[[nodiscard]] bool is_of_link(const IpBytes& address);

/// Addresses and routes of it are the kernel's to take.
struct RouterAdvertisement {
  bool managed = false;  ///< addresses come by DHCPv6
  bool other = false;    ///< other things do
  std::vector<IpBytes> name_servers;
};

[[nodiscard]] std::string encode_router_solicitation();
/// Nothing for what is none.
[[nodiscard]] std::optional<RouterAdvertisement> parse_router_advertisement(std::string_view bytes);

enum class Dhcp6Kind : std::uint8_t {
  solicit = 1,
  advertise = 2,
  request = 3,
  renew = 5,
  reply = 7,
  information_request = 11
};

struct Dhcp6Question {
  Dhcp6Kind kind = Dhcp6Kind::solicit;
  std::uint32_t transaction = 0;   ///< 24 bits
  MacAddress mac{};                ///< makes the client's name (DUID-LL) and that of its address (IAID)
  std::string server;              ///< a server's name, as it has said it
  IpBytes address;                 ///< that is wanted, or held
  std::uint16_t centiseconds = 0;  ///< since the first try
};

[[nodiscard]] std::string encode_dhcp6(const Dhcp6Question& question);

struct Dhcp6Answer {
  Dhcp6Kind kind = Dhcp6Kind::advertise;
  std::string server;
  IpBytes address;  ///< empty = none is given, or none that a machine can have
  std::uint32_t renew_seconds = 0;
  std::uint32_t valid_seconds = 0;
  std::vector<IpBytes> name_servers;
  std::vector<IpBytes> time_servers;
};

/// Nothing for what is no answer to this transaction of this interface.
[[nodiscard]] std::optional<Dhcp6Answer> parse_dhcp6(std::string_view bytes, std::uint32_t transaction,
                                                     const MacAddress& mac);

/// Whether the interface has an address of IPv6 by which others reach it, looked at by /proc/net/if_inet6.
[[nodiscard]] bool has_global_address(std::string_view if_inet6, std::string_view interface);

}  // namespace hearth::agent::deploy
