// A TLS server's own key and certificate, for clients that are told the key itself (TlsPeer::pin) and need no
// authority.
#pragma once

#include <string>
#include <vector>

#include "base/net/http_server.hpp"
#include "base/path.hpp"

namespace hearth {

/// DIRECTORY/NAME.key (EC, P-256; mode 0600: another is refused) and DIRECTORY/NAME.pem, a certificate that it signs
/// itself, for these addresses. The key is made once; the certificate anew where it lacks one of them. It has no end
/// (RFC 5280: the year 9999): clocks of machines that have no system yet may say anything. Throws Error.
[[nodiscard]] TlsFiles own_identity(const fs::path& directory, const std::string& name,
                                    const std::vector<std::string>& addresses);

/// TlsPeer::pin of who shows the first certificate of this PEM file. Throws Error.
[[nodiscard]] std::string key_pin(const std::string& certificate_file);

}  // namespace hearth
