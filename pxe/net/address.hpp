// Addresses as values: IPv4, MAC, endpoints and subnets, with the spellings that people and peers use.
#pragma once

#include <array>
#include <compare>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

namespace hearth::pxe {

/// An IPv4 address in host byte order; 0.0.0.0 means none.
struct Ipv4 {
  std::uint32_t value = 0;
  auto operator<=>(const Ipv4&) const = default;
  explicit operator bool() const { return value != 0; }
};
constexpr Ipv4 k_broadcast{0xffffffff};

struct Mac {
  std::array<std::uint8_t, 6> bytes{};
  auto operator<=>(const Mac&) const = default;
};

struct Endpoint {
  Ipv4 address;
  std::uint16_t port = 0;
  auto operator<=>(const Endpoint&) const = default;
};

struct AddressRange {
  Ipv4 first;
  Ipv4 last;
  [[nodiscard]] bool contains(Ipv4 address) const { return first <= address && address <= last; }
};

/// A network with its prefix length, 0 to 32.
struct Subnet {
  Ipv4 network;
  int prefix = 0;
  [[nodiscard]] Ipv4 mask() const;
  [[nodiscard]] Ipv4 broadcast() const;
  [[nodiscard]] bool contains(Ipv4 address) const;
  bool operator==(const Subnet&) const = default;
};

/// Dotted quad, four decimal parts without signs or further zeros.
[[nodiscard]] std::optional<Ipv4> parse_ipv4(std::string_view text);
/// "192.0.2.0/24"; bits behind the prefix are cleared.
[[nodiscard]] std::optional<Subnet> parse_subnet(std::string_view text);
/// aa:bb:cc:dd:ee:ff, AA-BB-…, aabb.ccdd.eeff, twelve bare digits, and PXELINUX's 01-aa-bb-….
[[nodiscard]] std::optional<Mac> parse_mac(std::string_view text);
/// Whether it can be one machine's address: neither zero nor a group.
[[nodiscard]] bool is_unicast(const Mac& mac);

[[nodiscard]] std::string to_text(Ipv4 address);
[[nodiscard]] std::string to_text(const Subnet& subnet);
[[nodiscard]] std::string to_text(const Endpoint& endpoint);
/// Lower case, with colons.
[[nodiscard]] std::string to_text(const Mac& mac);
/// Lower case, with dashes, as PXELINUX and GRUB look for it.
[[nodiscard]] std::string with_dashes(const Mac& mac);

}  // namespace hearth::pxe
