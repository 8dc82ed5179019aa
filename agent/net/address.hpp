// Addresses and prefixes as os-net-config's file has them: "192.0.2.1/24", "2001:db8::1/64".
#pragma once

#include <optional>
#include <string>
#include <string_view>

#include "agent/net/device.hpp"

namespace hearth::agent::net {

/// An address with a prefix length; nothing when it is none.
[[nodiscard]] std::optional<Address> parse_cidr(std::string_view text);
/// Whether this is one IPv4 or IPv6 address, without prefix length.
[[nodiscard]] bool is_ip(std::string_view text);
/// The address without the bits beyond its prefix: 192.0.2.1/24 → 192.0.2.0.
[[nodiscard]] Address network_of(const Address& address);
/// 24 → "255.255.255.0".
[[nodiscard]] std::string dotted_netmask(int prefix);
/// "12:34:56:de:f0:12" or with dashes, in either case.
[[nodiscard]] bool is_mac(std::string_view text);

}  // namespace hearth::agent::net
