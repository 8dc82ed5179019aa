// Sockets to listen at, and what they tell of who connects.
#pragma once

#include <sys/socket.h>

#include <cstdint>
#include <string>

#include "base/sys/fd.hpp"

namespace hearth {

struct ListeningSocket {
  Fd socket;
  int family = 0;
  std::uint16_t port = 0;  ///< a free one where 0 was asked for
};

/// Binds and listens. `name` is for errors: Error(io) when the address is taken or not ours, Error(input) when
/// `address` is none.
[[nodiscard]] ListeningSocket listen_on(const std::string& name, const std::string& address, std::uint16_t port);

/// The address without its port; "local" for who came by a socket that has a path.
[[nodiscard]] std::string peer_text(const sockaddr* peer, std::size_t length);

}  // namespace hearth
