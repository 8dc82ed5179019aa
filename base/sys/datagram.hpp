// One datagram to a local socket: how systemd's notification and journal protocols work, without its library.
#pragma once

#include <string>
#include <string_view>

#include "base/sys/process.hpp"

namespace hearth {

/// `address` is a path, or a name in the abstract namespace written with a leading "@". False when it can't be sent.
bool send_datagram(const std::string& address, std::string_view data) noexcept;

/// Tells the service manager that started this program how it is ("READY=1", lines NAME=VALUE); nothing where none did.
/// systemd's unit is of Type=notify.
void notify_service_manager(const Environment& env, std::string_view state) noexcept;

}  // namespace hearth
