#include "builder/fetch/local_relay.hpp"

#include <poll.h>
#include <sys/socket.h>
#include <sys/time.h>

#include <array>
#include <cerrno>
#include <semaphore>
#include <string>
#include <thread>

#include "base/net/look_up.hpp"

namespace hearth::builder::fetch {

namespace {

constexpr std::ptrdiff_t k_most_exchanges = 256;  // at once; further ones wait
constexpr std::size_t k_relay_piece = 65536;
constexpr timeval k_answer_within{10, 0};  // a datagram's

/// The address that a socket of another network is bound to.
SocketAddress address_of(const Fd& socket) {
  SocketAddress address;
  address.length = sizeof address.storage;
  if (::getsockname(socket.get(), reinterpret_cast<sockaddr*>(&address.storage), &address.length) != 0)
    address.length = 0;
  return address;
}

/// A socket of this network that is connected to the same address; empty when nobody is there.
Fd connect_here(const SocketAddress& address, int type) {
  Fd socket(::socket(address.storage.ss_family, type | SOCK_CLOEXEC, 0));
  if (!socket || ::connect(socket.get(), address.get(), address.length) != 0) return {};
  return socket;
}

bool send_all(const Fd& to, const char* data, std::size_t size) {
  while (size > 0) {
    const ssize_t sent = ::send(to.get(), data, size, MSG_NOSIGNAL);
    if (sent < 0 && errno == EINTR) continue;
    if (sent <= 0) return false;
    data += sent;
    size -= static_cast<std::size_t>(sent);
  }
  return true;
}

/// One direction, until its sender says that it has no more.
void pump(const Fd& from, const Fd& to) {
  std::string buffer(k_relay_piece, '\0');
  while (true) {
    const ssize_t got = ::recv(from.get(), buffer.data(), buffer.size(), 0);
    if (got < 0 && errno == EINTR) continue;
    if (got <= 0 || !send_all(to, buffer.data(), static_cast<std::size_t>(got))) break;
  }
  ::shutdown(to.get(), SHUT_WR);
  ::shutdown(from.get(), SHUT_RD);
}

void pass_stream(const Fd& client, const SocketAddress& address) {
  const Fd server = connect_here(address, SOCK_STREAM);
  if (!server) return;
  const std::jthread back([&] { pump(server, client); });
  pump(client, server);
}

void pass_datagram(int socket, const SocketAddress& client, const std::string& question, const SocketAddress& address) {
  const Fd server = connect_here(address, SOCK_DGRAM);
  if (!server || !send_all(server, question.data(), question.size())) return;
  ::setsockopt(server.get(), SOL_SOCKET, SO_RCVTIMEO, &k_answer_within, sizeof k_answer_within);
  std::string answer(k_relay_piece, '\0');
  const ssize_t got = ::recv(server.get(), answer.data(), answer.size(), 0);
  if (got < 0) return;
  (void)::sendto(socket, answer.data(), static_cast<std::size_t>(got), MSG_NOSIGNAL, client.get(), client.length);
}

/// In a thread of its own.
template <typename Work>
void begin_beside(Work work) {
  static std::counting_semaphore<k_most_exchanges> places(k_most_exchanges);
  places.acquire();
  std::thread([work = std::move(work)]() mutable {
    work();
    places.release();
  }).detach();
}

void take_stream(const Fd& listener) {
  Fd client(::accept4(listener.get(), nullptr, nullptr, SOCK_CLOEXEC));
  if (!client) return;
  begin_beside([client = std::move(client), address = address_of(listener)] { pass_stream(client, address); });
}

void take_datagram(const Fd& socket) {
  std::string question(k_relay_piece, '\0');
  SocketAddress client;
  client.length = sizeof client.storage;
  const ssize_t got = ::recvfrom(socket.get(), question.data(), question.size(), MSG_DONTWAIT,
                                 reinterpret_cast<sockaddr*>(&client.storage), &client.length);
  if (got < 0) return;
  question.resize(static_cast<std::size_t>(got));
  begin_beside([number = socket.get(), client, question = std::move(question), address = address_of(socket)] {
    pass_datagram(number, client, question, address);
  });
}

bool is_stream(const Fd& socket) {
  int type = 0;
  socklen_t size = sizeof type;
  return ::getsockopt(socket.get(), SOL_SOCKET, SO_TYPE, &type, &size) == 0 && type == SOCK_STREAM;
}

}  // namespace

void relay_forever(const std::vector<Fd>& sockets) {
  std::vector<pollfd> waited;
  waited.reserve(sockets.size());
  for (const Fd& socket : sockets) waited.push_back({socket.get(), POLLIN, 0});
  while (::poll(waited.data(), waited.size(), -1) >= 0 || errno == EINTR) {
    for (std::size_t i = 0; i < sockets.size(); ++i) {
      if ((waited[i].revents & POLLIN) != 0)
        is_stream(sockets[i]) ? take_stream(sockets[i]) : take_datagram(sockets[i]);
      waited[i].revents = 0;
    }
  }
}

}  // namespace hearth::builder::fetch
