// A packet socket on one interface (packet(7)): for answers to machines without an address, for ARP, and for listening
// to what other servers say. Needs CAP_NET_RAW when it is opened.
#pragma once

#include <set>
#include <span>
#include <string>
#include <string_view>

#include "base/sys/fd.hpp"
#include "pxe/net/address.hpp"

namespace hearth::pxe {

struct Interface {
  std::string name;
  int index = 0;
  Mac mac;
  Ipv4 address;  ///< one that was wanted, else the first
};
/// Throws Error when there is no such interface, or it has no IPv4 address.
[[nodiscard]] Interface find_interface(const std::string& name, const std::set<Ipv4>& wanted = {});

/// The name of the interface that has this address; empty where none has.
[[nodiscard]] std::string interface_with(Ipv4 address);

class PacketSocket {
 public:
  enum class Kind {
    send_only,
    dhcp_answers,  ///< hears UDP to port 68
    arp,
    router_solicitations,  ///< hears ICMPv6 type 133
    attempts,              ///< hears beginnings of TCP connections, and UDP to port 53
  };
  PacketSocket(const Interface& interface, Kind kind);

  /// The payload of one link-layer frame, from our MAC.
  bool send(const Mac& to, std::string_view packet) const;
  struct Heard {
    std::size_t size = 0;
    Mac from;
  };
  /// The next packet and its sender; size 0 when there is none.
  [[nodiscard]] Heard receive(std::span<char> buffer) const;
  [[nodiscard]] int fd() const { return socket_.get(); }

 private:
  Fd socket_;
  int index_;
  std::uint16_t protocol_;
};

}  // namespace hearth::pxe
