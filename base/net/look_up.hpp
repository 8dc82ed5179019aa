// From a host's name to the addresses to connect to.
#pragma once

#include <sys/socket.h>

#include <cstdint>
#include <string>
#include <vector>

#include "base/clock.hpp"

namespace hearth {

/// What connect(2) takes.
struct SocketAddress {
  sockaddr_storage storage{};
  socklen_t length = 0;

  [[nodiscard]] const sockaddr* get() const { return reinterpret_cast<const sockaddr*>(&storage); }
};

/// Addresses, localhost and names below it are known without asking: a bare container may lack /etc/hosts. Others are
/// looked up by getaddrinfo(3), which can't be stopped: at the deadline its thread is left behind. Throws Error(io).
[[nodiscard]] std::vector<SocketAddress> look_up(const std::string& host, std::uint16_t port, const Deadline& deadline,
                                                 const Clock& clock);

/// 192.0.2.1, 2001:db8::1 or fe80::1%eth0.
[[nodiscard]] bool is_address(const std::string& host);

/// The 4 or 16 bytes of an address, as certificates have them; empty when `host` is none.
[[nodiscard]] std::string address_bytes(const std::string& host);

}  // namespace hearth
