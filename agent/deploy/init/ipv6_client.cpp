#include "agent/deploy/init/ipv6_client.hpp"

#include <arpa/inet.h>
#include <net/if.h>
#include <netinet/icmp6.h>
#include <netinet/in.h>
#include <poll.h>
#include <sys/socket.h>

#include <algorithm>
#include <array>
#include <cstring>
#include <functional>
#include <random>

#include "base/error.hpp"
#include "base/sys/fd.hpp"
#include "base/sys/file.hpp"
#include "base/text.hpp"

namespace hearth::agent::deploy {

namespace {

constexpr std::uint16_t k_dhcp6_client = 546;
constexpr std::uint16_t k_dhcp6_server = 547;
constexpr std::chrono::seconds k_ip6_after_refusal(2);
constexpr int k_unrouted = 255;  ///< hops left to what no router has passed on

sockaddr_in6 on_link(const std::string& interface, const char* address, std::uint16_t port) {
  sockaddr_in6 target{.sin6_family = AF_INET6, .sin6_port = htons(port)};
  ::inet_pton(AF_INET6, address, &target.sin6_addr);
  target.sin6_scope_id = ::if_nametoindex(interface.c_str());
  return target;
}

bool bind_to_device(const Fd& socket, const std::string& interface) {
  return socket && ::setsockopt(socket.get(), SOL_SOCKET, SO_BINDTODEVICE, interface.c_str(),
                                static_cast<socklen_t>(interface.size())) == 0;
}

/// Hears router advertisements only, and tells how far they have come.
Fd router_socket(const std::string& interface) {
  Fd socket(::socket(AF_INET6, SOCK_RAW | SOCK_CLOEXEC, IPPROTO_ICMPV6));
  const int hops = k_unrouted;
  const int yes = 1;
  icmp6_filter filter{};
  ICMP6_FILTER_SETBLOCKALL(&filter);
  ICMP6_FILTER_SETPASS(ND_ROUTER_ADVERT, &filter);
  const bool ready = bind_to_device(socket, interface) &&
                     ::setsockopt(socket.get(), IPPROTO_ICMPV6, ICMP6_FILTER, &filter, sizeof filter) == 0 &&
                     ::setsockopt(socket.get(), IPPROTO_IPV6, IPV6_MULTICAST_HOPS, &hops, sizeof hops) == 0 &&
                     ::setsockopt(socket.get(), IPPROTO_IPV6, IPV6_RECVHOPLIMIT, &yes, sizeof yes) == 0;
  if (!ready) throw Error::from_errno("listening for routers on", interface);
  return socket;
}

Fd dhcp6_socket(const std::string& interface) {
  Fd socket(::socket(AF_INET6, SOCK_DGRAM | SOCK_CLOEXEC, 0));
  const int yes = 1;
  const sockaddr_in6 any{.sin6_family = AF_INET6, .sin6_port = htons(k_dhcp6_client), .sin6_addr = IN6ADDR_ANY_INIT};
  const bool ready = bind_to_device(socket, interface) &&
                     ::setsockopt(socket.get(), SOL_SOCKET, SO_REUSEADDR, &yes, sizeof yes) == 0 &&
                     ::setsockopt(socket.get(), IPPROTO_IPV6, IPV6_V6ONLY, &yes, sizeof yes) == 0 &&
                     ::bind(socket.get(), reinterpret_cast<const sockaddr*>(&any), sizeof any) == 0;
  if (!ready) throw Error::from_errno("listening for DHCPv6 on", interface);
  return socket;
}

/// A message; empty when it says that a router has passed it on. Nothing on an error.
std::optional<std::string_view> hear(const Fd& socket, std::array<char, 4096>& buffer) {
  alignas(cmsghdr) std::array<char, CMSG_SPACE(sizeof(int))> control{};
  iovec part{buffer.data(), buffer.size()};
  msghdr head{};
  head.msg_iov = &part;
  head.msg_iovlen = 1;
  head.msg_control = control.data();
  head.msg_controllen = control.size();
  const ssize_t got = ::recvmsg(socket.get(), &head, 0);
  if (got <= 0) return std::nullopt;
  int hops = k_unrouted;
  const cmsghdr* told = CMSG_FIRSTHDR(&head);
  const bool tells = told != nullptr && told->cmsg_level == IPPROTO_IPV6 && told->cmsg_type == IPV6_HOPLIMIT;
  if (tells) std::memcpy(&hops, CMSG_DATA(told), sizeof hops);
  return std::string_view(buffer.data(), hops == k_unrouted ? static_cast<std::size_t>(got) : 0);
}

/// Sends again and again, less and less often, until `take` says that it has its answer. A link that has no address of
/// its own yet can't send: that is tried again, too.
bool exchange6(const Fd& socket, const sockaddr_in6& target, const std::function<std::string()>& message,
               const std::function<bool(std::string_view)>& take, const Deadline& deadline, const Clock& clock) {
  std::array<char, 4096> buffer{};
  for (int pause = 1; !deadline.passed(clock.now()); pause = std::min(pause * 2, 8)) {
    const std::string sent = message();
    ::sendto(socket.get(), sent.data(), sent.size(), 0, reinterpret_cast<const sockaddr*>(&target), sizeof target);
    const Deadline round = Deadline::after(std::chrono::seconds(pause), clock);
    pollfd entry{socket.get(), POLLIN, 0};
    while (!round.passed(clock.now()) && !deadline.passed(clock.now()) &&
           ::poll(&entry, 1, std::min(round.poll_timeout(clock.now()), deadline.poll_timeout(clock.now()))) > 0) {
      const std::optional<std::string_view> heard = hear(socket, buffer);
      if (!heard) break;
      if (take(*heard)) return true;
    }
  }
  return false;
}

std::optional<Dhcp6Answer> exchange_dhcp6(const std::string& interface, Dhcp6Question question,
                                          const Deadline& deadline, const Clock& clock) {
  const Fd socket = dhcp6_socket(interface);
  const sockaddr_in6 servers = on_link(interface, "ff02::1:2", k_dhcp6_server);
  const MonotonicTime began = clock.now();
  const Dhcp6Kind wanted = question.kind == Dhcp6Kind::solicit ? Dhcp6Kind::advertise : Dhcp6Kind::reply;
  const bool needs_address = question.kind == Dhcp6Kind::solicit;
  question.transaction = std::random_device{}() & 0xffffffU;
  std::optional<Dhcp6Answer> answer;
  const auto message = [&] {
    const auto since = std::chrono::duration_cast<std::chrono::milliseconds>(clock.now() - began).count() / 10;
    question.centiseconds = static_cast<std::uint16_t>(std::min<std::int64_t>(since, 65535));
    return encode_dhcp6(question);
  };
  const auto take = [&](std::string_view bytes) {
    answer = parse_dhcp6(bytes, question.transaction, question.mac);
    if (answer && (answer->kind != wanted || (needs_address && answer->address.empty()))) answer.reset();
    return answer.has_value();
  };
  (void)exchange6(socket, servers, message, take, deadline, clock);
  return answer;
}

}  // namespace

std::optional<RouterAdvertisement> ask_routers(const std::string& interface, const Deadline& deadline,
                                               const Clock& clock) {
  const Fd socket = router_socket(interface);
  std::optional<RouterAdvertisement> told;
  const auto take = [&told](std::string_view bytes) {
    told = parse_router_advertisement(bytes);
    return told.has_value();
  };
  (void)exchange6(socket, on_link(interface, "ff02::2", 0), encode_router_solicitation, take, deadline, clock);
  return told;
}

std::optional<Dhcp6Answer> ask_dhcp6(const std::string& interface, const MacAddress& mac, bool address_wanted,
                                     const Deadline& deadline, Clock& clock) {
  Dhcp6Question question{.kind = Dhcp6Kind::information_request, .mac = mac};
  if (!address_wanted) return exchange_dhcp6(interface, question, deadline, clock);
  while (!deadline.passed(clock.now())) {
    question = {.kind = Dhcp6Kind::solicit, .mac = mac};
    const std::optional<Dhcp6Answer> offer = exchange_dhcp6(interface, question, deadline, clock);
    if (!offer) return std::nullopt;
    question = {.kind = Dhcp6Kind::request, .mac = mac, .server = offer->server, .address = offer->address};
    std::optional<Dhcp6Answer> given =
        exchange_dhcp6(interface, question, Deadline::after(std::chrono::seconds(8), clock), clock);
    if (given && !given->address.empty()) return given;
    clock.sleep(k_ip6_after_refusal);
  }
  return std::nullopt;
}

std::optional<Dhcp6Answer> renew_dhcp6(const std::string& interface, const MacAddress& mac, const Dhcp6Answer& lease,
                                       const Deadline& deadline, const Clock& clock) {
  const std::optional<Dhcp6Answer> answer = exchange_dhcp6(
      interface, {.kind = Dhcp6Kind::renew, .mac = mac, .server = lease.server, .address = lease.address}, deadline,
      clock);
  return answer && !answer->address.empty() ? answer : std::nullopt;
}

bool wait_for_global_address(const std::string& interface, const Deadline& deadline, Clock& clock) {
  while (!has_global_address(RealFileSystem().read("/proc/net/if_inet6").value_or(""), interface)) {
    if (deadline.passed(clock.now())) return false;
    clock.sleep(std::chrono::milliseconds(50));
  }
  return true;
}

}  // namespace hearth::agent::deploy
