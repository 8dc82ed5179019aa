#include "pxe/net/address.hpp"

#include "base/text.hpp"

namespace hearth::pxe {

namespace {

constexpr std::string_view k_hex_digits = "0123456789abcdef";

std::string separated(const Mac& mac, char separator) {
  std::string out;
  for (const std::uint8_t byte : mac.bytes) {
    if (!out.empty()) out.push_back(separator);
    out.push_back(k_hex_digits[byte >> 4U]);
    out.push_back(k_hex_digits[byte & 15U]);
  }
  return out;
}

/// The hexadecimal digits of a text whose other characters are all `separator`, at equal distances of `group`.
std::optional<std::string> grouped_digits(std::string_view text, char separator, std::size_t group) {
  std::string digits;
  for (std::size_t at = 0; at < text.size(); ++at) {
    const bool at_separator = at % (group + 1) == group;
    if (at_separator != (text[at] == separator)) return std::nullopt;
    if (!at_separator) digits.push_back(text[at]);
  }
  return digits;
}

std::optional<std::string> mac_digits(std::string_view text) {
  if (text.size() == 12) return std::string(text);
  if (text.size() == 20 && text.substr(0, 3) == "01-") text.remove_prefix(3);
  if (text.size() == 14) return grouped_digits(text, '.', 4);
  if (text.size() != 17) return std::nullopt;
  return grouped_digits(text, text[2] == '-' ? '-' : ':', 2);
}

}  // namespace

Ipv4 Subnet::mask() const { return {prefix == 0 ? 0U : ~std::uint32_t{0} << (32 - prefix)}; }
Ipv4 Subnet::broadcast() const { return {network.value | ~mask().value}; }
bool Subnet::contains(Ipv4 address) const { return (address.value & mask().value) == network.value; }

std::optional<Ipv4> parse_ipv4(std::string_view text) {
  const std::vector<std::string> parts = split(text, '.');
  if (parts.size() != 4) return std::nullopt;
  Ipv4 address;
  for (const std::string& part : parts) {
    const std::optional<std::uint64_t> number = parse_number(part);
    if (!number || *number > 255 || part.size() > 3 || (part.size() > 1 && part[0] == '0')) return std::nullopt;
    address.value = (address.value << 8U) | static_cast<std::uint32_t>(*number);
  }
  return address;
}

std::optional<Subnet> parse_subnet(std::string_view text) {
  const std::size_t slash = text.find('/');
  if (slash == std::string_view::npos) return std::nullopt;
  const std::optional<Ipv4> address = parse_ipv4(text.substr(0, slash));
  const std::optional<std::uint64_t> prefix = parse_number(text.substr(slash + 1));
  if (!address || !prefix || *prefix > 32) return std::nullopt;
  Subnet subnet{*address, static_cast<int>(*prefix)};
  subnet.network.value &= subnet.mask().value;
  return subnet;
}

std::optional<Mac> parse_mac(std::string_view text) {
  const std::optional<std::string> digits = mac_digits(text);
  if (!digits || digits->size() != 12) return std::nullopt;
  const std::string lower = to_lower(*digits);
  Mac mac;
  for (std::size_t at = 0; at < lower.size(); ++at) {
    const std::size_t value = k_hex_digits.find(lower[at]);
    if (value == std::string_view::npos) return std::nullopt;
    std::uint8_t& byte = mac.bytes[at / 2];
    byte = static_cast<std::uint8_t>((byte << 4U) | value);
  }
  return mac;
}

bool is_unicast(const Mac& mac) { return mac != Mac{} && (mac.bytes[0] & 1U) == 0; }

std::string to_text(Ipv4 address) {
  return cat(address.value >> 24U, '.', (address.value >> 16U) & 255U, '.', (address.value >> 8U) & 255U, '.',
             address.value & 255U);
}
std::string to_text(const Subnet& subnet) { return cat(to_text(subnet.network), '/', subnet.prefix); }
std::string to_text(const Endpoint& endpoint) { return cat(to_text(endpoint.address), ':', endpoint.port); }
std::string to_text(const Mac& mac) { return separated(mac, ':'); }
std::string with_dashes(const Mac& mac) { return separated(mac, '-'); }

}  // namespace hearth::pxe
