// By which certificates a conductor serves people, machines and the clients of its stack engine: those that are given,
// or its own.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "base/cli/options.hpp"
#include "base/net/http_server.hpp"
#include "base/sys/file.hpp"

namespace hearth::bootstrap {

/// Where the stack engine listens.
[[nodiscard]] std::string stacks_address(const cli::Arguments& arguments, const std::vector<std::string>& networks);

/// Whether it stands for all of this machine's addresses.
[[nodiscard]] bool is_any(const std::string& address);

/// A key of this conductor's own, and a certificate for all that it listens at: machines', people's and the engine's.
/// The engine's people also come through forwarded ports of the loopback.
[[nodiscard]] TlsFiles own_tls(const cli::Arguments& arguments, std::vector<std::string> addresses,
                               const fs::path& directory);

/// What people are served with; nothing where it is in clear.
[[nodiscard]] std::optional<TlsFiles> people_tls(const cli::Arguments& arguments,
                                                 const std::vector<std::string>& addresses, const fs::path& directory);

/// What machines are served with: the files given, else a key of this conductor's own; nothing where they are to be
/// served in clear.
[[nodiscard]] std::optional<TlsFiles> agents_tls(const cli::Arguments& arguments,
                                                 const std::vector<std::string>& addresses, const fs::path& directory);

}  // namespace hearth::bootstrap
