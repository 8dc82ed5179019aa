// Who sent a message: firmware of which kind, or iPXE, or an operating system (RFC 4578; UEFI 2.10 section 24.7 for
// HTTPClient).
#pragma once

#include "pxe/boot/client.hpp"
#include "pxe/dhcp/message.hpp"

namespace hearth::pxe::dhcp {

[[nodiscard]] Client client_of(const Message& message);

}  // namespace hearth::pxe::dhcp
