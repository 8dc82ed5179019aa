// Addresses that lead to the machine itself, or to what only its neighbours and its hypervisor are meant to serve: who
// connects for somebody else must not lend him these. Pure.
#pragma once

#include <string>
#include <string_view>

#include "base/net/look_up.hpp"

namespace hearth {

/// "loopback", "link-local" or "cloud metadata"; empty for all other addresses. An IPv4 address within an IPv6 one
/// (::ffff:127.0.0.1, 64:ff9b::/96) is judged as itself.
[[nodiscard]] std::string_view inner_kind(const SocketAddress& address);

/// As digits.
[[nodiscard]] std::string address_text(const SocketAddress& address);

}  // namespace hearth
