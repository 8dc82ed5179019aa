#include "pxe/http/server.hpp"

#include <arpa/inet.h>
#include <netinet/in.h>
#include <netinet/tcp.h>
#include <sys/epoll.h>
#include <sys/socket.h>

#include "base/check.hpp"
#include "base/error.hpp"
#include "base/text.hpp"
#include "pxe/http/connection.hpp"
#include "pxe/net/udp.hpp"

namespace hearth::pxe::http {

namespace {

constexpr int k_accepts_a_turn = 64;
constexpr auto k_rest = std::chrono::milliseconds(200);
constexpr std::size_t k_clients_remembered = 65536;

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
  for (const Listener& listener : listeners_) reactor_.forget(listener.socket.get(), *this);
}

Endpoint Server::listen(const Endpoint& local) { return listen(local, nullptr); }

Endpoint Server::listen(const Endpoint& local, std::shared_ptr<const TlsKeys> keys) {
  Fd socket(::socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC | SOCK_NONBLOCK, 0));
  const int one = 1;
  const sockaddr_in address = to_sockaddr(local);
  ::setsockopt(socket.get(), SOL_SOCKET, SO_REUSEADDR, &one, sizeof one);
  if (!socket || ::bind(socket.get(), reinterpret_cast<const sockaddr*>(&address), sizeof address) != 0 ||
      ::listen(socket.get(), 4096) != 0) {
    throw Error::from_errno("listening for HTTP on", to_text(local))
        .hint(cat("is the port another program's, such as another hearth that serves this machine? ss -tlpn 'sport = :",
                  local.port, "'"));
  }
  reactor_.watch(socket.get(), EPOLLIN, *this);
  listeners_.push_back({std::move(socket), std::move(keys)});
  return own_end(listeners_.back().socket.get());
}

void Server::renew(const std::shared_ptr<const TlsKeys>& keys) {
  for (Listener& listener : listeners_) {
    if (listener.keys) listener.keys = keys;
  }
}

void Server::ready(std::uint32_t /*events*/) {
  for (const Listener& listener : listeners_) accept_from(listener);
}

void Server::accept_from(const Listener& listener) {
  for (int accepted = 0; accepted < k_accepts_a_turn; ++accepted) {
    sockaddr_in from{};
    socklen_t size = sizeof from;
    Fd socket(
        ::accept4(listener.socket.get(), reinterpret_cast<sockaddr*>(&from), &size, SOCK_CLOEXEC | SOCK_NONBLOCK));
    if (!socket) return errno == EMFILE || errno == ENFILE ? rest(listener) : void();
    take_in(listener, std::move(socket), {{ntohl(from.sin_addr.s_addr)}, ntohs(from.sin_port)});
  }
}

/// Who waits to be accepted keeps the descriptor ready: without a rest the thread would do nothing but ask.
void Server::rest(const Listener& listener) {
  log_.record({.protocol = "http", .what = "a connection", .outcome = "too many open files", .good = false});
  const int fd = listener.socket.get();
  reactor_.change(fd, 0, *this);
  reactor_.at(reactor_.now() + k_rest, [this, fd] { reactor_.change(fd, EPOLLIN, *this); });
}

void Server::take_in(const Listener& listener, Fd socket, const Endpoint& from) {
  if (clients_.size() >= k_clients_remembered) forget_clients();
  Client& client =
      clients_.try_emplace(from.address, Client{0, Bucket(limits_.bytes_a_second_per_client)}).first->second;
  if (connections_.size() >= limits_.connections || client.connections >= limits_.connections_per_client) {
    log_.record(
        {.protocol = "http", .client = from.address, .what = "a connection", .outcome = "too many", .good = false});
    return;  // closed: the client will try again
  }
  ++client.connections;
  const int one = 1;
  ::setsockopt(socket.get(), IPPROTO_TCP, TCP_NODELAY, &one, sizeof one);
  const Ipv4 local = own_end(socket.get()).address;
  std::unique_ptr<Wire> wire = listener.keys ? listener.keys->wire(socket.get()) : plain_wire(socket.get());
  const std::uint64_t serial = ++serials_;
  connections_[serial] =
      std::make_unique<Connection>(*this, std::move(socket), std::move(wire), from, local, serial, client.rate);
  wake_at(reactor_.now() + limits_.idle, serial, &Connection::check_idle);
}

/// Those without a connection. Till then their rate is remembered, so that nobody gets more by connecting anew.
void Server::forget_clients() {
  std::erase_if(clients_, [](const auto& client) { return client.second.connections == 0; });
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
  std::size_t& connections = clients_.at(found->second->client().address).connections;
  check(connections > 0, "a connection that ends was counted", "serial", serial);
  --connections;
  finished_.push_back(std::move(found->second));
  connections_.erase(found);
  if (finished_.size() == 1) reactor_.at(reactor_.now(), [this] { finished_.clear(); });
}

}  // namespace hearth::pxe::http
