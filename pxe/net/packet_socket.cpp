#include "pxe/net/packet_socket.hpp"

#include <arpa/inet.h>
#include <ifaddrs.h>
#include <linux/filter.h>
#include <linux/if_ether.h>
#include <linux/if_packet.h>
#include <net/if.h>
#include <sys/socket.h>

#include <algorithm>
#include <array>

#include "base/error.hpp"
#include "base/text.hpp"

namespace hearth::pxe {

namespace {

/// On an IPv4 packet: UDP, not a later fragment, destination port 68.
constexpr std::array<sock_filter, 8> k_dhcp_answers{
    {BPF_STMT(BPF_LD | BPF_B | BPF_ABS, 9), BPF_JUMP(BPF_JMP | BPF_JEQ | BPF_K, 17, 0, 5),
     BPF_STMT(BPF_LD | BPF_H | BPF_ABS, 6), BPF_JUMP(BPF_JMP | BPF_JSET | BPF_K, 0x1fff, 3, 0),
     BPF_STMT(BPF_LDX | BPF_B | BPF_MSH, 0), BPF_STMT(BPF_LD | BPF_H | BPF_IND, 2),
     BPF_JUMP(BPF_JMP | BPF_JEQ | BPF_K, 68, 1, 0), BPF_STMT(BPF_RET | BPF_K, 0)}};

/// On an IPv6 packet: ICMPv6 without extension heads, type 133.
constexpr std::array<sock_filter, 5> k_solicitations{
    {BPF_STMT(BPF_LD | BPF_B | BPF_ABS, 6), BPF_JUMP(BPF_JMP | BPF_JEQ | BPF_K, 58, 0, 2),
     BPF_STMT(BPF_LD | BPF_B | BPF_ABS, 40), BPF_JUMP(BPF_JMP | BPF_JEQ | BPF_K, 133, 1, 0),
     BPF_STMT(BPF_RET | BPF_K, 0)}};

/// On an IPv4 packet, not a later fragment: TCP with SYN and without ACK, or UDP with destination port 53.
constexpr std::array<sock_filter, 12> k_attempts{
    {BPF_STMT(BPF_LD | BPF_H | BPF_ABS, 6), BPF_JUMP(BPF_JMP | BPF_JSET | BPF_K, 0x1fff, 9, 0),
     BPF_STMT(BPF_LDX | BPF_B | BPF_MSH, 0), BPF_STMT(BPF_LD | BPF_B | BPF_ABS, 9),
     BPF_JUMP(BPF_JMP | BPF_JEQ | BPF_K, 6, 0, 3), BPF_STMT(BPF_LD | BPF_B | BPF_IND, 13),
     BPF_STMT(BPF_ALU | BPF_AND | BPF_K, 0x12), BPF_JUMP(BPF_JMP | BPF_JEQ | BPF_K, 0x02, 4, 3),
     BPF_JUMP(BPF_JMP | BPF_JEQ | BPF_K, 17, 0, 2), BPF_STMT(BPF_LD | BPF_H | BPF_IND, 2),
     BPF_JUMP(BPF_JMP | BPF_JEQ | BPF_K, 53, 1, 0), BPF_STMT(BPF_RET | BPF_K, 0)}};

/// Packets that get past `refusing` are taken.
void attach_filter(const Fd& socket, std::span<const sock_filter> refusing) {
  std::vector<sock_filter> code(refusing.begin(), refusing.end());
  code.push_back(BPF_STMT(BPF_RET | BPF_K, 0x40000));
  const sock_fprog program{static_cast<unsigned short>(code.size()), code.data()};
  if (::setsockopt(socket.get(), SOL_SOCKET, SO_ATTACH_FILTER, &program, sizeof program) != 0)
    throw Error::from_errno("filtering", "a packet socket");
}

/// Multicasts to routers reach only machines that ask their card for them.
void hear_multicasts(const Fd& socket, int index) {
  packet_mreq request{};
  request.mr_ifindex = index;
  request.mr_type = PACKET_MR_ALLMULTI;
  if (::setsockopt(socket.get(), SOL_PACKET, PACKET_ADD_MEMBERSHIP, &request, sizeof request) != 0)
    throw Error::from_errno("listening to multicasts on", "a packet socket");
}

std::uint16_t protocol_of(PacketSocket::Kind kind) {
  if (kind == PacketSocket::Kind::arp) return ETH_P_ARP;
  return kind == PacketSocket::Kind::router_solicitations ? ETH_P_IPV6 : ETH_P_IP;
}

}  // namespace

std::string interface_with(Ipv4 address) {
  ifaddrs* list = nullptr;
  if (::getifaddrs(&list) != 0) throw Error::from_errno("listing", "the interfaces");
  std::string name;
  for (const ifaddrs* entry = list; entry != nullptr && name.empty(); entry = entry->ifa_next) {
    if (entry->ifa_addr == nullptr || entry->ifa_addr->sa_family != AF_INET) continue;
    if (ntohl(reinterpret_cast<const sockaddr_in*>(entry->ifa_addr)->sin_addr.s_addr) == address.value)
      name = entry->ifa_name;
  }
  ::freeifaddrs(list);
  return name;
}

Interface find_interface(const std::string& name, const std::set<Ipv4>& wanted) {
  Interface interface { .name = name, .index = static_cast<int>(::if_nametoindex(name.c_str())) };
  if (interface.index == 0)
    throw Error(ErrorKind::not_found, cat("there is no interface ", name)).hint("ip link lists the interfaces.");
  ifaddrs* list = nullptr;
  if (::getifaddrs(&list) != 0) throw Error::from_errno("listing", "the interfaces");
  for (const ifaddrs* entry = list; entry != nullptr; entry = entry->ifa_next) {
    if (entry->ifa_addr == nullptr || name != entry->ifa_name) continue;
    if (entry->ifa_addr->sa_family == AF_INET) {
      const Ipv4 own{ntohl(reinterpret_cast<const sockaddr_in*>(entry->ifa_addr)->sin_addr.s_addr)};
      if (!interface.address || wanted.count(own) > 0) interface.address = own;
    }
    if (entry->ifa_addr->sa_family == AF_PACKET)
      std::copy_n(reinterpret_cast<const sockaddr_ll*>(entry->ifa_addr)->sll_addr, 6, interface.mac.bytes.begin());
  }
  ::freeifaddrs(list);
  if (!interface.address)
    throw Error(ErrorKind::input, cat("interface ", name, " has no IPv4 address"))
        .hint(cat("ip address add ADDRESS/PREFIX dev ", name));
  return interface;
}

PacketSocket::PacketSocket(const Interface& interface, Kind kind)
    : index_(interface.index), protocol_(protocol_of(kind)) {
  // Protocol 0 hears nothing until bind(2), so that no packet of another interface slips in.
  socket_ = Fd(::socket(AF_PACKET, SOCK_DGRAM | SOCK_CLOEXEC | SOCK_NONBLOCK, 0));
  if (!socket_) {
    throw Error::from_errno("opening a packet socket on", interface.name).hint("this needs root or CAP_NET_RAW.");
  }
  if (kind == Kind::dhcp_answers) attach_filter(socket_, k_dhcp_answers);
  if (kind == Kind::attempts) attach_filter(socket_, k_attempts);
  if (kind == Kind::router_solicitations) {
    attach_filter(socket_, k_solicitations);
    hear_multicasts(socket_, index_);
  }
  sockaddr_ll address{};
  address.sll_family = AF_PACKET;
  address.sll_ifindex = index_;
  address.sll_protocol = kind == Kind::send_only ? 0 : htons(protocol_);
  if (::bind(socket_.get(), reinterpret_cast<const sockaddr*>(&address), sizeof address) != 0)
    throw Error::from_errno("binding a packet socket to", interface.name);
}

bool PacketSocket::send(const Mac& to, std::string_view packet) const {
  sockaddr_ll address{};
  address.sll_family = AF_PACKET;
  address.sll_ifindex = index_;
  address.sll_protocol = htons(protocol_);
  address.sll_halen = 6;
  std::copy(to.bytes.begin(), to.bytes.end(), address.sll_addr);
  return ::sendto(socket_.get(), packet.data(), packet.size(), 0, reinterpret_cast<const sockaddr*>(&address),
                  sizeof address) == static_cast<ssize_t>(packet.size());
}

PacketSocket::Heard PacketSocket::receive(std::span<char> buffer) const {
  sockaddr_ll from{};
  socklen_t length = sizeof from;
  const ssize_t size =
      ::recvfrom(socket_.get(), buffer.data(), buffer.size(), 0, reinterpret_cast<sockaddr*>(&from), &length);
  if (size <= 0) return {};
  Heard heard{.size = static_cast<std::size_t>(size)};
  std::copy_n(from.sll_addr, 6, heard.from.bytes.begin());
  return heard;
}

}  // namespace hearth::pxe
