// Where a machine may be called back: at its own address, and nowhere below it. Pure.
#pragma once

#include <string>

namespace hearth::bootstrap {

/// Why the conductor will not call an agent at `url`, told by the machine at `peer`; empty when it will. An agent that
/// names another machine, or a path, would have the conductor act on what it can't reach itself.
[[nodiscard]] std::string callback_fault(const std::string& url, const std::string& peer);

/// An address as a connection has it, without the form of IPv4 in IPv6 ("::ffff:192.0.2.7").
[[nodiscard]] std::string plain_address(const std::string& peer);

}  // namespace hearth::bootstrap
