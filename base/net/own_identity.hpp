// A TLS server's own key and certificate: for clients that are told the key itself (TlsPeer::pin) and need no
// authority, and for those that are given the authority that signed it.
#pragma once

#include <string>
#include <vector>

#include "base/net/http_server.hpp"
#include "base/path.hpp"

namespace hearth {

/// DIRECTORY/NAME.key (EC, P-256; mode 0600: another is refused), which is made once; DIRECTORY/NAME-authority.pem, who
/// signs by that key; and DIRECTORY/NAME.pem, a certificate of the same key for these names and addresses, with its
/// authority behind it. The certificate is made anew where it lacks one of them: who trusts the authority, or any
/// NAME.pem there was, trusts the new one. An authority whose key is not there any more is not replaced: it is asked
/// for. They hold from 1970 and have no end (RFC 5280: the year 9999): clocks of machines that have no system yet may
/// say anything. Throws Error.
[[nodiscard]] TlsFiles own_identity(const fs::path& directory, const std::string& name,
                                    const std::vector<std::string>& hosts);
[[nodiscard]] fs::path own_authority_file(const fs::path& directory, const std::string& name);

/// TlsPeer::pin of who shows the first certificate of this PEM file. Throws Error.
[[nodiscard]] std::string key_pin(const std::string& certificate_file);

}  // namespace hearth
