#include "pxe/net/frame.hpp"

#include <algorithm>
#include <cctype>

#include "base/byte_order.hpp"

namespace hearth::pxe {

namespace {

constexpr std::size_t k_ip_head = 20, k_udp_head = 8, k_tcp_head = 20, k_arp = 28, k_dns_head = 12;
constexpr std::uint8_t k_tcp = 6, k_udp = 17;
constexpr std::uint8_t k_syn = 0x02, k_ack = 0x10;
constexpr std::uint16_t k_dns_port = 53;

/// RFC 1071.
std::uint16_t check_sum(std::string_view bytes) {
  std::uint32_t sum = 0;
  for (std::size_t at = 0; at < bytes.size(); at += 2)
    sum += get_be<std::uint8_t>(bytes, at) << 8U | (at + 1 < bytes.size() ? get_be<std::uint8_t>(bytes, at + 1) : 0U);
  while (sum >> 16U != 0) sum = (sum & 0xffffU) + (sum >> 16U);
  return static_cast<std::uint16_t>(~sum);
}

void put_sum(std::string& bytes, std::size_t at, std::uint16_t sum) { bytes.replace(at, 2, big_endian(sum, 2)); }

bool is_arp(std::string_view packet) {
  return packet.size() >= k_arp && get_be<std::uint32_t>(packet, 0) == 0x00010800 &&
         get_be<std::uint16_t>(packet, 4) == 0x0604;
}

/// The first name that a DNS message asks for (RFC 1035 section 4.1); empty for what is no question.
std::string dns_name(std::string_view message) {
  const bool is_question = message.size() > k_dns_head && (get_be<std::uint8_t>(message, 2) & 0x80U) == 0;
  std::string name;
  for (std::size_t at = k_dns_head; is_question && at < message.size() && name.size() < 255;) {
    const std::size_t length = get_be<std::uint8_t>(message, at);
    if (length == 0 || length > 63 || at + 1 + length > message.size()) break;
    if (!name.empty()) name += '.';
    for (const char c : message.substr(at + 1, length))
      name += std::isalnum(static_cast<unsigned char>(c)) != 0 || c == '-' || c == '_' ? c : '?';
    at += 1 + length;
  }
  return name;
}

std::string_view as_view(const Mac& mac) { return {reinterpret_cast<const char*>(mac.bytes.data()), mac.bytes.size()}; }

}  // namespace

std::string udp_packet(const Endpoint& from, const Endpoint& to, std::string_view payload) {
  const auto udp_size = static_cast<std::uint32_t>(k_udp_head + payload.size());
  std::string ip = big_endian(0x4500, 2) + big_endian(static_cast<std::uint32_t>(k_ip_head) + udp_size, 2) +
                   big_endian(0, 4) + big_endian(64, 1) + big_endian(k_udp, 1) + big_endian(0, 2) +
                   big_endian(from.address.value, 4) + big_endian(to.address.value, 4);
  put_sum(ip, 10, check_sum(ip));
  std::string udp = big_endian(from.port, 2) + big_endian(to.port, 2) + big_endian(udp_size, 2) + big_endian(0, 2);
  udp += payload;
  const std::string pseudo = big_endian(from.address.value, 4) + big_endian(to.address.value, 4) +
                             big_endian(k_udp, 2) + big_endian(udp_size, 2);
  const std::uint16_t sum = check_sum(pseudo + udp);
  put_sum(udp, 6, sum == 0 ? 0xffff : sum);
  return ip + udp;
}

std::optional<UdpView> view_udp(std::string_view packet) {
  if (packet.size() < k_ip_head || get_be<std::uint8_t>(packet, 0) >> 4U != 4) return std::nullopt;
  const std::size_t head = std::size_t{4} * (get_be<std::uint8_t>(packet, 0) & 15U);
  const std::size_t whole = get_be<std::uint16_t>(packet, 2);
  const bool fragment = (get_be<std::uint16_t>(packet, 6) & 0x3fffU) != 0;
  if (head < k_ip_head || fragment || get_be<std::uint8_t>(packet, 9) != k_udp) return std::nullopt;
  if (whole > packet.size() || whole < head + k_udp_head) return std::nullopt;
  const std::size_t size = get_be<std::uint16_t>(packet, head + 4);
  if (size < k_udp_head || size > whole - head) return std::nullopt;
  return UdpView{{{get_be<std::uint32_t>(packet, 12)}, get_be<std::uint16_t>(packet, head)},
                 {{get_be<std::uint32_t>(packet, 16)}, get_be<std::uint16_t>(packet, head + 2)},
                 packet.substr(head + k_udp_head, size - k_udp_head)};
}

namespace {

std::string arp_request(const Mac& own, Ipv4 from, Ipv4 target) {
  std::string out = big_endian(0x00010800, 4) + big_endian(0x06040001, 4);
  out += as_view(own);
  return out + big_endian(from.value, 4) + std::string(6, '\0') + big_endian(target.value, 4);
}

}  // namespace

std::string arp_probe(const Mac& own, Ipv4 target) { return arp_request(own, {}, target); }
std::string arp_announcement(const Mac& own, Ipv4 address) { return arp_request(own, address, address); }

std::optional<ArpClaim> view_arp(std::string_view packet) {
  if (!is_arp(packet)) return std::nullopt;
  ArpClaim claim{.address = {get_be<std::uint32_t>(packet, 14)}};
  std::copy_n(packet.begin() + 8, 6, claim.mac.bytes.begin());
  if (!claim.address) return std::nullopt;
  return claim;
}

std::optional<ArpQuestion> view_arp_question(std::string_view packet) {
  constexpr std::uint16_t k_request = 1;
  if (!is_arp(packet) || get_be<std::uint16_t>(packet, 6) != k_request) return std::nullopt;
  ArpQuestion question{.from = {get_be<std::uint32_t>(packet, 14)}, .target = {get_be<std::uint32_t>(packet, 24)}};
  std::copy_n(packet.begin() + 8, 6, question.mac.bytes.begin());
  if (!question.from || question.from == question.target) return std::nullopt;
  return question;
}

std::optional<Attempt> view_attempt(std::string_view packet) {
  if (const std::optional<UdpView> udp = view_udp(packet)) {
    const std::string name = udp->to.port == k_dns_port ? dns_name(udp->payload) : "";
    if (name.empty()) return std::nullopt;
    return Attempt{Attempt::Kind::dns, udp->from, udp->to, name};
  }
  if (packet.size() < k_ip_head || get_be<std::uint8_t>(packet, 0) >> 4U != 4) return std::nullopt;
  const std::size_t head = std::size_t{4} * (get_be<std::uint8_t>(packet, 0) & 15U);
  const bool is_later = (get_be<std::uint16_t>(packet, 6) & 0x1fffU) != 0;
  if (head < k_ip_head || is_later || get_be<std::uint8_t>(packet, 9) != k_tcp || packet.size() < head + k_tcp_head)
    return std::nullopt;
  if ((get_be<std::uint8_t>(packet, head + 13) & (k_syn | k_ack)) != k_syn) return std::nullopt;
  return Attempt{Attempt::Kind::tcp,
                 {{get_be<std::uint32_t>(packet, 12)}, get_be<std::uint16_t>(packet, head)},
                 {{get_be<std::uint32_t>(packet, 16)}, get_be<std::uint16_t>(packet, head + 2)},
                 ""};
}

}  // namespace hearth::pxe
