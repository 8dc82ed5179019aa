#include "agent/deploy/init/dhcp_client.hpp"

#include <netinet/in.h>
#include <poll.h>
#include <sys/socket.h>

#include <array>
#include <bit>
#include <cstring>
#include <random>

#include "base/error.hpp"
#include "base/sys/fd.hpp"
#include "base/text.hpp"

namespace hearth::agent::deploy {

namespace {

constexpr std::uint16_t k_client_port = 68;
constexpr std::uint16_t k_server_port = 67;
constexpr std::chrono::seconds k_after_refusal(2);  // a server that takes back each offer must not keep the link busy

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

/// Sends a question again and again, less and less often, until one of the awaited answers comes. Only `server` can
/// refuse: another one on this link may refuse whatever it did not lend, and is the first to answer.
std::optional<DhcpAnswer> exchange(const std::string& interface, const DhcpQuestion& question, Ipv4 server,
                                   const Deadline& deadline, const Clock& clock) {
  const Fd socket = dhcp_socket(interface);
  std::array<char, 2048> buffer{};
  for (int pause = 1; !deadline.passed(clock.now()); pause = std::min(pause * 2, 8)) {
    broadcast(socket, encode_dhcp(question), interface);
    const Deadline round = Deadline::after(std::chrono::seconds(pause), clock);
    pollfd entry{socket.get(), POLLIN, 0};
    while (!round.passed(clock.now()) && !deadline.passed(clock.now()) &&
           ::poll(&entry, 1, std::min(round.poll_timeout(clock.now()), deadline.poll_timeout(clock.now()))) > 0) {
      const ssize_t got = ::recv(socket.get(), buffer.data(), buffer.size(), 0);
      if (got <= 0) break;
      auto answer = parse_dhcp({buffer.data(), static_cast<std::size_t>(got)}, question.transaction, question.mac);
      const bool offer = question.kind == DhcpKind::discover;
      if (!answer) continue;
      if (offer && answer->kind == DhcpKind::offer && answer->address != 0) return answer;
      if (!offer && answer->kind == DhcpKind::ack && answer->address != 0) return answer;
      if (!offer && answer->kind == DhcpKind::nak && answer->server == server) return answer;
    }
  }
  return std::nullopt;
}

std::uint32_t new_transaction() { return std::random_device{}(); }

}  // namespace

std::optional<DhcpAnswer> ask_for_lease(const std::string& interface, const MacAddress& mac, const Deadline& deadline,
                                        Clock& clock) {
  while (!deadline.passed(clock.now())) {
    DhcpQuestion question{.transaction = new_transaction(), .mac = mac};
    const std::optional<DhcpAnswer> offer = exchange(interface, question, 0, deadline, clock);
    if (!offer) return std::nullopt;
    question.kind = DhcpKind::request;
    question.requested = offer->address;
    question.server = offer->server;
    std::optional<DhcpAnswer> answer =
        exchange(interface, question, offer->server, Deadline::after(std::chrono::seconds(8), clock), clock);
    if (answer && answer->kind == DhcpKind::ack) return answer;
    clock.sleep(k_after_refusal);
  }
  return std::nullopt;
}

std::optional<DhcpAnswer> renew_lease(const std::string& interface, const MacAddress& mac, const DhcpAnswer& lease,
                                      const Deadline& deadline, const Clock& clock) {
  const DhcpQuestion question{DhcpKind::request, new_transaction(), mac, lease.address, 0};
  return exchange(interface, question, lease.server, deadline, clock);
}

void apply_lease(const std::string& interface, const DhcpAnswer& lease, bool default_route, Links& links,
                 const std::function<void(const std::string&)>& say) {
  const auto attempt = [&](const std::function<void()>& work) {
    try {
      work();
    } catch (const Error& error) {
      say(cat("what DHCP says to ", interface, ": ", error.what()));
    }
  };
  links.set_address(interface, ipv4_bytes(lease.address), std::popcount(lease.mask));
  if (lease.mtu >= 576) attempt([&] { links.set_mtu(interface, lease.mtu); });
  for (const DhcpRoute& route : routes_of(lease, default_route)) {
    const std::string router = route.router == 0 ? "" : ipv4_bytes(route.router);
    attempt([&] { links.add_route({ipv4_bytes(route.network), std::popcount(route.mask), router, interface}); });
  }
}

}  // namespace hearth::agent::deploy
