// A listening socket on loopback, and both ends of a connection.
#pragma once

#include <arpa/inet.h>
#include <sys/socket.h>

#include <array>
#include <cstdint>
#include <string>

#include "base/sys/fd.hpp"

namespace hearth::builder::fetch {

struct Listener {
  Listener() : socket(::socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0)) {
    sockaddr_in address{};
    address.sin_family = AF_INET;
    address.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
    (void)::bind(socket.get(), reinterpret_cast<const sockaddr*>(&address), sizeof address);
    (void)::listen(socket.get(), 16);
    socklen_t length = sizeof address;
    (void)::getsockname(socket.get(), reinterpret_cast<sockaddr*>(&address), &length);
    port = ntohs(address.sin_port);
  }
  [[nodiscard]] Fd accept() const { return Fd(::accept4(socket.get(), nullptr, nullptr, SOCK_CLOEXEC)); }
  Fd socket;
  std::uint16_t port = 0;
};

/// Two ends of a stream.
struct Ends {
  Ends() {
    std::array<int, 2> both{};
    (void)::socketpair(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0, both.data());
    near = Fd(both[0]);
    far = Fd(both[1]);
  }
  Fd near;
  Fd far;
};

}  // namespace hearth::builder::fetch
