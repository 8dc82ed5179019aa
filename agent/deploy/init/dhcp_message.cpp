#include "agent/deploy/init/dhcp_message.hpp"

#include <algorithm>

#include "base/byte_order.hpp"
#include "base/text.hpp"

namespace hearth::agent::deploy {

namespace {

constexpr std::size_t k_fixed = 240;  // up to and with the cookie
constexpr std::string_view k_cookie = "\x63\x82\x53\x63";

enum Option : std::uint8_t {
  k_mask = 1,
  k_router = 3,
  k_dns = 6,
  k_hostname = 12,
  k_domain = 15,
  k_mtu = 26,
  k_time = 42,
  k_requested = 50,
  k_lease = 51,
  k_kind = 53,
  k_server = 54,
  k_wanted = 55,
  k_longest = 57,
  k_vendor = 60,
  k_client = 61,
  k_routes = 121,
  k_end = 255
};

void put_option(std::string& out, std::uint8_t option, std::string_view value) {
  out.push_back(static_cast<char>(option));
  out.push_back(static_cast<char>(value.size()));
  out.append(value);
}

std::string plain_text(std::string_view value) {
  std::string text(value.substr(0, value.find('\0')));
  const bool fits = std::all_of(text.begin(), text.end(), [](char c) {
    return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9') || c == '.' || c == '-';
  });
  return fits ? text : "";
}

/// Those of hosts: a server that says anything else has nothing to say.
std::vector<Ipv4> addresses_in(std::string_view value) {
  std::vector<Ipv4> addresses;
  for (; value.size() >= 4; value.remove_prefix(4)) addresses.push_back(get_be<std::uint32_t>(value, 0));
  std::erase_if(addresses, [](Ipv4 address) { return !is_host(address); });
  return addresses;
}

/// Each: the width of the network, the bytes of it that this leaves, a router. Nothing at all when one is broken: half
/// of the routes may be worse than none.
std::vector<DhcpRoute> routes_in(std::string_view value) {
  std::vector<DhcpRoute> routes;
  while (!value.empty()) {
    const auto width = static_cast<unsigned char>(value[0]);
    const std::size_t size = (width + 7U) / 8;
    if (width > 32 || value.size() < 1 + size + 4) return {};
    const std::uint32_t mask = width == 0 ? 0 : ~std::uint32_t{0} << (32U - width);
    std::string network(value.substr(1, size));
    network.resize(4, '\0');
    routes.push_back({get_be<std::uint32_t>(network, 0) & mask, mask, get_be<std::uint32_t>(value, 1 + size)});
    value.remove_prefix(1 + size + 4);
  }
  return routes;
}

void read_option(DhcpAnswer& answer, std::uint8_t option, std::string_view value, std::string& classless) {
  const std::uint32_t first = value.size() >= 4 ? get_be<std::uint32_t>(value, 0) : 0;
  switch (option) {
    case k_mask: answer.mask = first; break;
    case k_router: answer.router = first; break;
    case k_server: answer.server = first; break;
    case k_lease: answer.lease_seconds = first; break;
    case k_mtu: answer.mtu = value.size() == 2 ? get_be<std::uint16_t>(value, 0) : std::uint16_t{0}; break;
    case k_domain: answer.domain = plain_text(value); break;
    case k_hostname: answer.hostname = plain_text(value); break;
    case k_dns: answer.name_servers = addresses_in(value); break;
    case k_time: answer.time_servers = addresses_in(value); break;
    case k_routes: classless += value; break;  // a long list comes in several options (RFC 3396)
    default: break;
  }
}

}  // namespace

bool is_host(Ipv4 address) {
  const std::uint32_t first = address >> 24U;
  return first != 0 && first != 127 && first < 224;
}

std::string encode_dhcp(const DhcpQuestion& question) {
  const std::string mac(question.mac.begin(), question.mac.end());
  std::string out("\x01\x01\x06\x00", 4);
  out += big_endian(question.transaction, 4);
  out += big_endian(0, 2);
  out += big_endian(0x8000, 2);  // answer by broadcast
  out.append(16, 0);             // addresses
  out += mac;
  out.resize(236);
  out += k_cookie;
  put_option(out, k_kind, std::string(1, static_cast<char>(question.kind)));
  put_option(out, k_client, cat('\x01', mac));
  put_option(out, k_longest, std::string_view("\x05\xdc", 2));
  put_option(out, k_vendor, "hearth-agent");
  if (question.requested != 0) put_option(out, k_requested, big_endian(question.requested, 4));
  if (question.server != 0) put_option(out, k_server, big_endian(question.server, 4));
  put_option(out, k_wanted, "\x79\x01\x03\x06\x0c\x0f\x1a\x2a\x33\x36");
  out.push_back(static_cast<char>(k_end));
  out.resize(std::max<std::size_t>(out.size(), 300));  // what old relays expect
  return out;
}

std::optional<DhcpAnswer> parse_dhcp(std::string_view bytes, std::uint32_t transaction, const MacAddress& mac) {
  const bool ours = bytes.size() > k_fixed && bytes[0] == 2 && get_be<std::uint32_t>(bytes, 4) == transaction &&
                    bytes.substr(28, 6) == std::string_view(reinterpret_cast<const char*>(mac.data()), mac.size()) &&
                    bytes.substr(236, 4) == k_cookie;
  if (!ours) return std::nullopt;
  DhcpAnswer answer;
  answer.address = get_be<std::uint32_t>(bytes, 16);
  if (!is_host(answer.address)) answer.address = 0;
  bool has_kind = false;
  std::string classless;
  std::string_view rest = bytes.substr(k_fixed);
  while (!rest.empty()) {
    const auto option = static_cast<std::uint8_t>(rest[0]);
    if (option == k_end) break;
    if (option == 0) {
      rest.remove_prefix(1);
      continue;
    }
    if (rest.size() < 2 || rest.size() - 2 < static_cast<unsigned char>(rest[1])) return std::nullopt;
    const std::string_view value = rest.substr(2, static_cast<unsigned char>(rest[1]));
    if (option == k_kind && value.size() == 1) {
      answer.kind = static_cast<DhcpKind>(value[0]);
      has_kind = true;
    }
    read_option(answer, option, value, classless);
    rest.remove_prefix(2 + value.size());
  }
  answer.routes = routes_in(classless);
  return has_kind ? std::optional(answer) : std::nullopt;
}

std::vector<DhcpRoute> routes_of(const DhcpAnswer& lease, bool default_route) {
  std::vector<DhcpRoute> routes = lease.routes;
  if (routes.empty() && lease.router != 0) routes.push_back({0, 0, lease.router});
  if (!default_route) std::erase_if(routes, [](const DhcpRoute& route) { return route.mask == 0; });
  // A router may itself be reached by another route, to its own address, say.
  std::stable_sort(routes.begin(), routes.end(),
                   [](const DhcpRoute& a, const DhcpRoute& b) { return a.mask > b.mask; });
  return routes;
}

std::string ipv4_text(Ipv4 address) {
  return cat(address >> 24U, ".", (address >> 16U) & 255U, ".", (address >> 8U) & 255U, ".", address & 255U);
}

std::string ipv4_bytes(Ipv4 address) { return big_endian(address, 4); }

std::optional<MacAddress> parse_mac(std::string_view text) {
  MacAddress mac{};
  if (text.size() != 17) return std::nullopt;
  for (std::size_t i = 0; i < 17; ++i) {
    const std::size_t digit = std::string_view("0123456789abcdef").find(text[i]);
    if (i % 3 == 2 ? text[i] != ':' : digit == std::string_view::npos) return std::nullopt;
    if (i % 3 != 2) mac[i / 3] = static_cast<std::uint8_t>(mac[i / 3] << 4U | digit);
  }
  return mac;
}

}  // namespace hearth::agent::deploy
