#include "agent/net/address.hpp"

#include <arpa/inet.h>

#include <array>

#include "base/hex.hpp"
#include "base/text.hpp"

namespace hearth::agent::net {

namespace {

/// 4 or 6; 0 for neither.
int family_of(const std::string& text) {
  std::array<unsigned char, 16> bytes{};
  if (::inet_pton(AF_INET, text.c_str(), bytes.data()) == 1) return 4;
  return ::inet_pton(AF_INET6, text.c_str(), bytes.data()) == 1 ? 6 : 0;
}

}  // namespace

std::optional<Address> parse_cidr(std::string_view text) {
  const std::size_t slash = text.find('/');
  if (slash == std::string_view::npos || text.find('\0') != std::string_view::npos) return std::nullopt;
  const std::string ip(text.substr(0, slash));
  const int family = family_of(ip);
  const std::optional<std::uint64_t> prefix = parse_number(text.substr(slash + 1));
  if (family == 0 || !prefix || *prefix > (family == 4 ? 32U : 128U)) return std::nullopt;
  return Address{ip, static_cast<int>(*prefix), family == 6};
}

bool is_ip(std::string_view text) {
  return text.find('\0') == std::string_view::npos && family_of(std::string(text)) != 0;
}

Address network_of(const Address& address) {
  const int family = address.v6 ? AF_INET6 : AF_INET;
  std::array<unsigned char, 16> bytes{};
  if (::inet_pton(family, address.ip.c_str(), bytes.data()) != 1) return address;
  for (int bit = address.prefix; bit < (address.v6 ? 128 : 32); ++bit) {
    bytes[static_cast<std::size_t>(bit) / 8] &=
        static_cast<unsigned char>(~(0x80U >> (static_cast<unsigned>(bit) % 8)));
  }
  std::array<char, INET6_ADDRSTRLEN> text{};
  ::inet_ntop(family, bytes.data(), text.data(), text.size());
  return {text.data(), address.prefix, address.v6};
}

std::string dotted_netmask(int prefix) {
  const std::uint32_t bits = prefix <= 0 ? 0 : ~std::uint32_t{0} << static_cast<unsigned>(32 - prefix);
  return cat(bits >> 24U, ".", (bits >> 16U) & 255U, ".", (bits >> 8U) & 255U, ".", bits & 255U);
}

bool is_mac(std::string_view text) {
  if (text.size() != 17) return false;
  for (std::size_t i = 0; i < text.size(); ++i) {
    const bool separator = i % 3 == 2;
    if (separator ? text[i] != ':' && text[i] != '-' : !is_hex_digit(text[i])) return false;
  }
  return true;
}

}  // namespace hearth::agent::net
