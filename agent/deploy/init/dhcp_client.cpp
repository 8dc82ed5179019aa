#include "agent/deploy/init/dhcp_client.hpp"

#include <arpa/inet.h>
#include <net/if.h>
#include <net/route.h>
#include <netinet/in.h>
#include <poll.h>
#include <sys/ioctl.h>
#include <sys/socket.h>

#include <array>
#include <cstring>
#include <random>

#include "base/error.hpp"
#include "base/sys/fd.hpp"
#include "base/text.hpp"

namespace hearth::agent::deploy {

namespace {

constexpr std::uint16_t k_client_port = 68;
constexpr std::uint16_t k_server_port = 67;

sockaddr_in address_of(Ipv4 address, std::uint16_t port) {
  return {.sin_family = AF_INET, .sin_port = htons(port), .sin_addr = {htonl(address)}};
}

Fd dhcp_socket(const std::string& interface) {
  Fd socket(::socket(AF_INET, SOCK_DGRAM | SOCK_CLOEXEC, 0));
  const int yes = 1;
  ::setsockopt(socket.get(), SOL_SOCKET, SO_REUSEADDR, &yes, sizeof yes);
  ::setsockopt(socket.get(), SOL_SOCKET, SO_BROADCAST, &yes, sizeof yes);
  const sockaddr_in any = address_of(INADDR_ANY, k_client_port);
  const bool bound = socket &&
                     ::setsockopt(socket.get(), SOL_SOCKET, SO_BINDTODEVICE, interface.c_str(),
                                  static_cast<socklen_t>(interface.size())) == 0 &&
                     ::bind(socket.get(), reinterpret_cast<const sockaddr*>(&any), sizeof any) == 0;
  if (!bound) throw Error::from_errno("listening for DHCP on", interface);
  return socket;
}

void broadcast(const Fd& socket, const std::string& message, const std::string& interface) {
  const sockaddr_in everyone = address_of(INADDR_BROADCAST, k_server_port);
  if (::sendto(socket.get(), message.data(), message.size(), 0, reinterpret_cast<const sockaddr*>(&everyone),
               sizeof everyone) < 0) {
    throw Error::from_errno("sending DHCP on", interface);
  }
}

/// Sends a question again and again, less and less often, until one of the awaited answers comes.
std::optional<DhcpAnswer> exchange(const std::string& interface, const DhcpQuestion& question, const Deadline& deadline,
                                   const Clock& clock) {
  const Fd socket = dhcp_socket(interface);
  std::array<char, 2048> buffer{};
  for (int pause = 1; !deadline.passed(clock.now()); pause = std::min(pause * 2, 8)) {
    broadcast(socket, encode_dhcp(question), interface);
    const Deadline round = Deadline::after(std::chrono::seconds(pause), clock);
    pollfd entry{socket.get(), POLLIN, 0};
    while (::poll(&entry, 1,
                  std::min(round.poll_timeout(clock.now()), deadline.poll_timeout(clock.now()) & 0x7fffffff)) > 0) {
      const ssize_t got = ::recv(socket.get(), buffer.data(), buffer.size(), 0);
      if (got <= 0) break;
      auto answer = parse_dhcp({buffer.data(), static_cast<std::size_t>(got)}, question.transaction, question.mac);
      const bool offer = question.kind == DhcpKind::discover;
      if (answer && offer && answer->kind == DhcpKind::offer && answer->address != 0) return answer;
      if (answer && !offer && (answer->kind == DhcpKind::ack || answer->kind == DhcpKind::nak)) return answer;
    }
  }
  return std::nullopt;
}

std::uint32_t new_transaction() { return std::random_device{}(); }

/// An ioctl on one interface.
void configure(unsigned long request, const std::string& interface, const std::function<void(ifreq&)>& fill) {
  const Fd socket(::socket(AF_INET, SOCK_DGRAM | SOCK_CLOEXEC, 0));
  ifreq settings{};
  interface.copy(settings.ifr_name, IFNAMSIZ - 1);
  fill(settings);
  if (::ioctl(socket.get(), request, &settings) != 0) throw Error::from_errno("configuring", interface);
}

void set_address(unsigned long request, const std::string& interface, Ipv4 address) {
  configure(request, interface, [address](ifreq& settings) {
    const sockaddr_in value = address_of(address, 0);
    std::memcpy(&settings.ifr_addr, &value, sizeof value);
  });
}

void add_route(const std::string& interface, const DhcpRoute& wanted) {
  const Fd socket(::socket(AF_INET, SOCK_DGRAM | SOCK_CLOEXEC, 0));
  rtentry route{};
  const sockaddr_in gateway = address_of(wanted.router, 0);
  const sockaddr_in network = address_of(wanted.network, 0);
  const sockaddr_in mask = address_of(wanted.mask, 0);
  std::memcpy(&route.rt_gateway, &gateway, sizeof gateway);
  std::memcpy(&route.rt_dst, &network, sizeof network);
  std::memcpy(&route.rt_genmask, &mask, sizeof mask);
  route.rt_flags = RTF_UP;
  if (wanted.router != 0) route.rt_flags |= RTF_GATEWAY;
  if (wanted.mask == 0xffffffff) route.rt_flags |= RTF_HOST;
  std::string name = interface;
  route.rt_dev = name.data();
  if (::ioctl(socket.get(), SIOCADDRT, &route) != 0 && errno != EEXIST) {
    throw Error::from_errno("setting the route to", cat(ipv4_text(wanted.network), " by ", ipv4_text(wanted.router)));
  }
}

}  // namespace

void bring_up(const std::string& interface) {
  short flags = 0;
  const Fd socket(::socket(AF_INET, SOCK_DGRAM | SOCK_CLOEXEC, 0));
  ifreq settings{};
  interface.copy(settings.ifr_name, IFNAMSIZ - 1);
  if (::ioctl(socket.get(), SIOCGIFFLAGS, &settings) == 0) flags = settings.ifr_flags;
  configure(SIOCSIFFLAGS, interface, [flags](ifreq& wanted) { wanted.ifr_flags = static_cast<short>(flags | IFF_UP); });
}

std::optional<DhcpAnswer> ask_for_lease(const std::string& interface, const MacAddress& mac, const Deadline& deadline,
                                        const Clock& clock) {
  while (!deadline.passed(clock.now())) {
    DhcpQuestion question{.transaction = new_transaction(), .mac = mac};
    const std::optional<DhcpAnswer> offer = exchange(interface, question, deadline, clock);
    if (!offer) return std::nullopt;
    question.kind = DhcpKind::request;
    question.requested = offer->address;
    question.server = offer->server;
    std::optional<DhcpAnswer> answer =
        exchange(interface, question, Deadline::after(std::chrono::seconds(8), clock), clock);
    if (answer && answer->kind == DhcpKind::ack) return answer;
  }
  return std::nullopt;
}

std::optional<DhcpAnswer> renew_lease(const std::string& interface, const MacAddress& mac, const DhcpAnswer& lease,
                                      const Deadline& deadline, const Clock& clock) {
  const DhcpQuestion question{DhcpKind::request, new_transaction(), mac, lease.address, 0};
  const std::optional<DhcpAnswer> answer = exchange(interface, question, deadline, clock);
  return answer && answer->kind == DhcpKind::ack ? answer : std::nullopt;
}

void apply_lease(const std::string& interface, const DhcpAnswer& lease, bool default_route) {
  set_address(SIOCSIFADDR, interface, lease.address);
  if (lease.mask != 0) set_address(SIOCSIFNETMASK, interface, lease.mask);
  if (lease.mtu >= 576) configure(SIOCSIFMTU, interface, [&lease](ifreq& wanted) { wanted.ifr_mtu = lease.mtu; });
  for (const DhcpRoute& route : routes_of(lease, default_route)) add_route(interface, route);
}

std::string resolv_conf(const DhcpAnswer& lease) {
  std::string text;
  if (!lease.name_servers.empty() && !lease.domain.empty()) text += cat("search ", lease.domain, "\n");
  for (const Ipv4 server : lease.name_servers) text += cat("nameserver ", ipv4_text(server), "\n");
  return text;
}

}  // namespace hearth::agent::deploy
