// IPv4 and UDP heads made and read by hand: for answers to machines that have no address yet, and for what is heard on
// the wire (RFC 791, RFC 768, RFC 826). Pure.
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

#include "pxe/net/address.hpp"

namespace hearth::pxe {

/// An IPv4 packet with the UDP datagram, check sums included.
[[nodiscard]] std::string udp_packet(const Endpoint& from, const Endpoint& to, std::string_view payload);

struct UdpView {
  Endpoint from;
  Endpoint to;
  std::string_view payload;  ///< within the packet given
};
/// Nothing for anything but a whole, unfragmented UDP packet.
[[nodiscard]] std::optional<UdpView> view_udp(std::string_view packet);

/// "Who has `target`?" from a machine that claims no address itself (RFC 5227 section 2.1.1).
[[nodiscard]] std::string arp_probe(const Mac& own, Ipv4 target);
/// "I have `address`", to all: an announcement (RFC 5227 section 2.3), which others' tables are corrected by.
[[nodiscard]] std::string arp_announcement(const Mac& own, Ipv4 address);
struct ArpClaim {
  Mac mac;
  Ipv4 address;
};
/// Who an ARP packet says has which address; nothing for probes.
[[nodiscard]] std::optional<ArpClaim> view_arp(std::string_view packet);

struct ArpQuestion {
  Mac mac;
  Ipv4 from;
  Ipv4 target;
};
/// "Who has `target`?" from a machine that has an address; nothing for probes and announcements.
[[nodiscard]] std::optional<ArpQuestion> view_arp_question(std::string_view packet);

/// The beginning of a TCP connection, or a question to a name server.
struct Attempt {
  enum class Kind { tcp, dns };
  Kind kind = Kind::tcp;
  Endpoint from;
  Endpoint to;
  std::string name;  ///< that a name server is asked for; "?" in it for what is no letter, digit, "-", "_" or "."
};
[[nodiscard]] std::optional<Attempt> view_attempt(std::string_view packet);

}  // namespace hearth::pxe
