#include "agent/deploy/init/ipv6_message.hpp"

#include <functional>

#include "base/byte_order.hpp"
#include "base/text.hpp"

namespace hearth::agent::deploy {

namespace {

constexpr std::uint8_t k_ip6_solicitation = 133;
constexpr std::uint8_t k_ip6_advertisement = 134;
constexpr std::uint8_t k_ip6_router_dns = 25;
constexpr std::size_t k_ip6_advertisement_head = 16;
constexpr std::size_t k_ip6_bytes = 16;

// DHCPv6's options.
constexpr std::uint16_t k_ip6_client_id = 1;
constexpr std::uint16_t k_ip6_server_id = 2;
constexpr std::uint16_t k_ip6_address_set = 3;  // IA_NA
constexpr std::uint16_t k_ip6_address = 5;
constexpr std::uint16_t k_ip6_wanted = 6;
constexpr std::uint16_t k_ip6_elapsed = 8;
constexpr std::uint16_t k_ip6_status = 13;
constexpr std::uint16_t k_ip6_dns = 23;
constexpr std::uint16_t k_ip6_sntp = 31;
constexpr std::uint16_t k_ip6_ntp = 56;

using Dhcp6Option = std::function<void(std::uint16_t option, std::string_view value)>;

/// False where they are cut off.
bool each_option(std::string_view bytes, const Dhcp6Option& take) {
  while (!bytes.empty()) {
    if (bytes.size() < 4) return false;
    const std::size_t size = get_be<std::uint16_t>(bytes, 2);
    if (bytes.size() - 4 < size) return false;
    take(get_be<std::uint16_t>(bytes, 0), bytes.substr(4, size));
    bytes.remove_prefix(4 + size);
  }
  return true;
}

void put_option6(std::string& out, std::uint16_t option, std::string_view value) {
  out += big_endian(option, 2);
  out += big_endian(value.size(), 2);
  out += value;
}

/// Whether it is one machine's: not ::, ::1, an IPv4 one in disguise, or multicast.
bool is_host6(std::string_view address) { return address[0] != 0 && static_cast<std::uint8_t>(address[0]) != 0xff; }

void add_addresses6(std::vector<IpBytes>& list, std::string_view bytes) {
  for (; bytes.size() >= k_ip6_bytes; bytes.remove_prefix(k_ip6_bytes)) {
    if (is_host6(bytes)) list.emplace_back(bytes.substr(0, k_ip6_bytes));
  }
}

std::string mac_bytes(const MacAddress& mac) { return {mac.begin(), mac.end()}; }

std::string client_duid(const MacAddress& mac) {
  return cat(std::string_view("\x00\x03\x00\x01", 4), mac_bytes(mac));  // DUID-LL of Ethernet
}

bool is_refusal(std::string_view status) { return status.size() >= 2 && get_be<std::uint16_t>(status, 0) != 0; }

/// The address within an IA_NA, if it gives one.
void take_address_set(std::string_view value, Dhcp6Answer& answer) {
  if (value.size() < 12) return;
  bool given = true;
  Dhcp6Answer found;
  const bool whole = each_option(value.substr(12), [&](std::uint16_t option, std::string_view inner) {
    if (option == k_ip6_status && is_refusal(inner)) given = false;
    if (option != k_ip6_address || inner.size() < 24 || !found.address.empty()) return;
    found.address = inner.substr(0, k_ip6_bytes);
    found.valid_seconds = get_be<std::uint32_t>(inner, 20);
    (void)each_option(inner.substr(24), [&given](std::uint16_t deeper, std::string_view status) {
      if (deeper == k_ip6_status && is_refusal(status)) given = false;
    });
  });
  if (!whole || !given || found.valid_seconds == 0) return;
  if (!is_host6(found.address) || is_of_link(found.address)) return;
  answer.address = found.address;
  answer.valid_seconds = found.valid_seconds;
  const auto told = get_be<std::uint32_t>(value, 4);
  answer.renew_seconds = told != 0 && told < found.valid_seconds ? told : found.valid_seconds / 2;
}

void take_option6(std::uint16_t option, std::string_view value, Dhcp6Answer& answer) {
  switch (option) {
    case k_ip6_server_id: answer.server = value; break;
    case k_ip6_address_set: take_address_set(value, answer); break;
    case k_ip6_dns: add_addresses6(answer.name_servers, value); break;
    case k_ip6_sntp: add_addresses6(answer.time_servers, value); break;
    case k_ip6_ntp:
      (void)each_option(value, [&answer](std::uint16_t kind, std::string_view server) {
        if (kind == 1 && server.size() == k_ip6_bytes) add_addresses6(answer.time_servers, server);
      });
      break;
    default: break;
  }
}

}  // namespace

bool is_of_link(const IpBytes& address) {
  return address.size() == k_ip6_bytes && static_cast<std::uint8_t>(address[0]) == 0xfe &&
         (static_cast<std::uint8_t>(address[1]) & 0xc0U) == 0x80U;
}

std::string encode_router_solicitation() {
  std::string bytes(8, '\0');  // the kernel puts the checksum in
  bytes[0] = static_cast<char>(k_ip6_solicitation);
  return bytes;
}

std::optional<RouterAdvertisement> parse_router_advertisement(std::string_view bytes) {
  if (bytes.size() < k_ip6_advertisement_head || static_cast<std::uint8_t>(bytes[0]) != k_ip6_advertisement ||
      bytes[1] != 0)
    return std::nullopt;
  const auto flags = static_cast<std::uint8_t>(bytes[5]);
  RouterAdvertisement told{.managed = (flags & 0x80U) != 0, .other = (flags & 0x40U) != 0, .name_servers = {}};
  for (std::string_view rest = bytes.substr(k_ip6_advertisement_head); rest.size() >= 2;) {
    const std::size_t size = std::size_t{static_cast<std::uint8_t>(rest[1])} * 8;
    if (size == 0 || size > rest.size()) return std::nullopt;
    const bool lasts = size >= 8 && get_be<std::uint32_t>(rest, 4) != 0;
    if (static_cast<std::uint8_t>(rest[0]) == k_ip6_router_dns && lasts)
      add_addresses6(told.name_servers, rest.substr(8, size - 8));
    rest.remove_prefix(size);
  }
  return told;
}

std::string encode_dhcp6(const Dhcp6Question& question) {
  std::string out =
      big_endian(static_cast<std::uint32_t>(question.kind) << 24U | (question.transaction & 0xffffffU), 4);
  put_option6(out, k_ip6_client_id, client_duid(question.mac));
  if (!question.server.empty()) put_option6(out, k_ip6_server_id, question.server);
  if (question.kind != Dhcp6Kind::information_request) {
    std::string set = mac_bytes(question.mac).substr(2);  // IAID, then T1 and T2: the server's choice
    set.append(8, '\0');
    if (!question.address.empty()) put_option6(set, k_ip6_address, question.address + std::string(8, '\0'));
    put_option6(out, k_ip6_address_set, set);
  }
  put_option6(out, k_ip6_wanted, big_endian(k_ip6_dns, 2) + big_endian(k_ip6_sntp, 2) + big_endian(k_ip6_ntp, 2));
  put_option6(out, k_ip6_elapsed, big_endian(question.centiseconds, 2));
  return out;
}

std::optional<Dhcp6Answer> parse_dhcp6(std::string_view bytes, std::uint32_t transaction, const MacAddress& mac) {
  if (bytes.size() < 4 || (get_be<std::uint32_t>(bytes, 0) & 0xffffffU) != (transaction & 0xffffffU))
    return std::nullopt;
  const auto kind = static_cast<Dhcp6Kind>(bytes[0]);
  if (kind != Dhcp6Kind::advertise && kind != Dhcp6Kind::reply) return std::nullopt;
  Dhcp6Answer answer{.kind = kind};
  bool ours = false;
  bool given = true;
  const bool whole = each_option(bytes.substr(4), [&](std::uint16_t option, std::string_view value) {
    if (option == k_ip6_client_id) ours = value == client_duid(mac);
    if (option == k_ip6_status && is_refusal(value)) given = false;
    take_option6(option, value, answer);
  });
  if (!whole || !ours || answer.server.empty()) return std::nullopt;
  if (!given) answer.address.clear();
  return answer;
}

bool has_global_address(std::string_view if_inet6, std::string_view interface) {
  constexpr std::uint8_t not_yet = 0x40 | 0x08;  // tentative, or found to be another's
  for (const std::string& line : split_lines(if_inet6)) {
    const std::vector<std::string> words = split_words(line);  // address, index, prefix, scope, flags, name
    if (words.size() != 6 || words[5] != interface || words[3] != "00" || words[4].size() != 2) continue;
    const std::size_t high = std::string_view("0123456789abcdef").find(words[4][0]);
    const std::size_t low = std::string_view("0123456789abcdef").find(words[4][1]);
    if (high < 16 && low < 16 && ((high << 4U | low) & not_yet) == 0) return true;
  }
  return false;
}

}  // namespace hearth::agent::deploy
