#include "pxe/net/router_advert.hpp"

namespace hearth::pxe {

namespace {

constexpr std::size_t k_router_advert_ip_head = 40;
constexpr char k_icmp = 58;
constexpr unsigned char k_solicitation = 133;
constexpr char k_advertisement = static_cast<char>(134);

/// fe80:: with the interface identifier made from the MAC (RFC 4291 appendix A).
std::string link_local(const Mac& mac) {
  std::string out("\xfe\x80\0\0\0\0\0\0", 8);
  for (std::size_t at = 0; at < 6; ++at) {
    if (at == 3) out.append("\xff\xfe");
    out.push_back(static_cast<char>(at == 0 ? mac.bytes[0] ^ 2U : mac.bytes[at]));
  }
  return out;
}

std::uint16_t icmp6_check_sum(std::string_view bytes) {
  std::uint32_t sum = 0;
  for (std::size_t at = 0; at + 1 < bytes.size(); at += 2)
    sum += static_cast<std::uint32_t>(static_cast<unsigned char>(bytes[at]) << 8U) |
           static_cast<unsigned char>(bytes[at + 1]);
  while (sum >> 16U != 0) sum = (sum & 0xffffU) + (sum >> 16U);
  return static_cast<std::uint16_t>(~sum);
}

}  // namespace

std::optional<RouterAnswer> empty_advertisement(std::string_view packet, const Mac& from, const Mac& own) {
  if (packet.size() < k_router_advert_ip_head + 8 || static_cast<unsigned char>(packet[0]) >> 4U != 6)
    return std::nullopt;
  if (packet[6] != k_icmp || packet[7] != '\xff' ||
      static_cast<unsigned char>(packet[k_router_advert_ip_head]) != k_solicitation)
    return std::nullopt;
  RouterAnswer answer{.to = from};
  std::string target(packet.substr(8, 16));
  if (target == std::string(16, '\0')) {  // it has no address yet: to all nodes
    target = std::string("\xff\x02", 2) + std::string(13, '\0') + '\x01';
    answer.to = Mac{{0x33, 0x33, 0, 0, 0, 1}};
  }
  std::string body(16, '\0');  // no flags, lifetime 0, no timers
  body[0] = k_advertisement;
  body[4] = 64;  // hop limit
  const std::string source = link_local(own);
  const std::uint16_t sum = icmp6_check_sum(source + target + std::string("\0\0\0\x10\0\0\0", 7) + k_icmp + body);
  body[2] = static_cast<char>(sum >> 8U);
  body[3] = static_cast<char>(sum & 255U);
  answer.packet = std::string("\x60\0\0\0\0\x10", 6) + k_icmp + '\xff';
  answer.packet += source + target + body;
  return answer;
}

}  // namespace hearth::pxe
