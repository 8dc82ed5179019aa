#include "pxe/net/frame.hpp"

#include <algorithm>

#include "base/byte_order.hpp"

namespace hearth::pxe {

namespace {

constexpr std::size_t k_ip_head = 20, k_udp_head = 8, k_arp = 28;
constexpr std::uint8_t k_udp = 17;

/// RFC 1071.
std::uint16_t check_sum(std::string_view bytes) {
  std::uint32_t sum = 0;
  for (std::size_t at = 0; at < bytes.size(); at += 2)
    sum += get_be<std::uint8_t>(bytes, at) << 8U | (at + 1 < bytes.size() ? get_be<std::uint8_t>(bytes, at + 1) : 0U);
  while (sum >> 16U != 0) sum = (sum & 0xffffU) + (sum >> 16U);
  return static_cast<std::uint16_t>(~sum);
}

void put_sum(std::string& bytes, std::size_t at, std::uint16_t sum) { bytes.replace(at, 2, big_endian(sum, 2)); }

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
  const std::size_t head = (get_be<std::uint8_t>(packet, 0) & 15U) * 4;
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

std::string arp_probe(const Mac& own, Ipv4 target) {
  std::string out = big_endian(0x00010800, 4) + big_endian(0x06040001, 4);
  out += as_view(own);
  return out + big_endian(0, 4) + std::string(6, '\0') + big_endian(target.value, 4);
}

std::optional<ArpClaim> view_arp(std::string_view packet) {
  if (packet.size() < k_arp || get_be<std::uint32_t>(packet, 0) != 0x00010800 ||
      get_be<std::uint16_t>(packet, 4) != 0x0604)
    return std::nullopt;
  ArpClaim claim{.address = {get_be<std::uint32_t>(packet, 14)}};
  std::copy_n(packet.begin() + 8, 6, claim.mac.bytes.begin());
  if (!claim.address) return std::nullopt;
  return claim;
}

}  // namespace hearth::pxe
