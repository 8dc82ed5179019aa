// One datagram to a local socket: how systemd's notification and journal protocols work, without its library.
#pragma once

#include <string>
#include <string_view>

namespace hearth::agent {

/// `address` is a path, or a name in the abstract namespace written with a leading "@". False when it can't be sent.
bool send_datagram(const std::string& address, std::string_view data) noexcept;

}  // namespace hearth::agent
