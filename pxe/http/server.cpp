#include "pxe/http/server.hpp"

#include <arpa/inet.h>
#include <netinet/in.h>
#include <netinet/tcp.h>
#include <sys/epoll.h>
#include <sys/socket.h>

#include "base/error.hpp"
#include "base/text.hpp"
#include "pxe/http/connection.hpp"

namespace hearth::pxe::http {

namespace {

constexpr int k_accepts_a_turn = 64;

sockaddr_in to_sockaddr(const Endpoint& endpoint) {
  sockaddr_in address{};
  address.sin_family = AF_INET;
  address.sin_port = htons(endpoint.port);
  address.sin_addr.s_addr = htonl(endpoint.address.value);
  return address;
}

Endpoint own_end(int socket) {
  sockaddr_in address{};
  socklen_t size = sizeof address;
  ::getsockname(socket, reinterpret_cast<sockaddr*>(&address), &size);
  return {{ntohl(address.sin_addr.s_addr)}, ntohs(address.sin_port)};
}

}  // namespace

Server::Server(Reactor& reactor, const Clock& clock, ContentSource& source, RequestLog& log, Limits limits)
    : reactor_(reactor), clock_(clock), source_(source), log_(log), limits_(limits), bucket_(limits.bytes_a_second) {}

Server::~Server() {
  for (const Fd& listener : listeners_) reactor_.forget(listener.get(), *this);
}

Endpoint Server::listen(const Endpoint& local) {
  Fd socket(::socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC | SOCK_NONBLOCK, 0));
  const int one = 1;
  const sockaddr_in address = to_sockaddr(local);
  ::setsockopt(socket.get(), SOL_SOCKET, SO_REUSEADDR, &one, sizeof one);
  if (!socket || ::bind(socket.get(), reinterpret_cast<const sockaddr*>(&address), sizeof address) != 0 ||
      ::listen(socket.get(), 4096) != 0) {
    throw Error::from_errno("listening for HTTP on", to_text(local))
        .hint(cat("is the port another program's? ss -tlpn 'sport = :", local.port, "'"));
  }
  reactor_.watch(socket.get(), EPOLLIN, *this);
  listeners_.push_back(std::move(socket));
  return own_end(listeners_.back().get());
}

void Server::ready(std::uint32_t /*events*/) {
  for (const Fd& listener : listeners_) accept_from(listener);
}

void Server::accept_from(const Fd& listener) {
  for (int accepted = 0; accepted < k_accepts_a_turn; ++accepted) {
    sockaddr_in from{};
    socklen_t size = sizeof from;
    Fd socket(::accept4(listener.get(), reinterpret_cast<sockaddr*>(&from), &size, SOCK_CLOEXEC | SOCK_NONBLOCK));
    if (!socket) return;
    const Endpoint client{{ntohl(from.sin_addr.s_addr)}, ntohs(from.sin_port)};
    std::size_t& count = per_client_[client.address];
    if (connections_.size() >= limits_.connections || count >= limits_.connections_per_client) {
      if (count == 0) per_client_.erase(client.address);
      log_.record(
          {.protocol = "http", .client = client.address, .what = "a connection", .outcome = "too many", .good = false});
      continue;  // closed: the client will try again
    }
    ++count;
    const int one = 1;
    ::setsockopt(socket.get(), IPPROTO_TCP, TCP_NODELAY, &one, sizeof one);
    const Ipv4 local = own_end(socket.get()).address;
    const std::uint64_t serial = ++serials_;
    connections_[serial] = std::make_unique<Connection>(*this, std::move(socket), client, local, serial);
    wake_at(reactor_.now() + limits_.idle, serial, &Connection::check_idle);
  }
}

void Server::wake_at(MonotonicTime when, std::uint64_t serial, void (Connection::*action)()) {
  reactor_.at(when, [this, serial, action] {
    const auto found = connections_.find(serial);
    if (found != connections_.end()) (*found->second.*action)();
  });
}

void Server::ended(std::uint64_t serial) {
  const auto found = connections_.find(serial);
  if (found == connections_.end()) return;
  const auto count = per_client_.find(found->second->client().address);
  if (--count->second == 0) per_client_.erase(count);
  finished_.push_back(std::move(found->second));
  connections_.erase(found);
  if (finished_.size() == 1) reactor_.at(reactor_.now(), [this] { finished_.clear(); });
}

}  // namespace hearth::pxe::http
