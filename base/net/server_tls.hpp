// Certificates of an HttpServer, and what becomes of handshakes.
#pragma once

#include <memory>
#include <optional>
#include <string>

#include "base/net/http_server.hpp"

namespace boost::asio::ssl {
class context;
}

namespace hearth {

/// TLS 1.2 and later, with this chain and key. Throws Error that names the file.
[[nodiscard]] std::unique_ptr<boost::asio::ssl::context> tls_context(const TlsFiles& files);

/// Another text whenever one of the files is another or was written; empty while one of them is not there.
[[nodiscard]] std::string state_of(const TlsFiles& files);

/// A client that ends a handshake by an alert says why: its authorities, its clock; one that speaks plain HTTP is
/// answered so, and told of, too. Strangers fill no log.
class HandshakeNotes {
 public:
  /// `access` may be null; it gets each one, the log one in a while.
  HandshakeNotes(const Clock& clock, Logger& log, AccessLog* access) : clock_(clock), log_(log), access_(access) {}
  /// Whether something was answered.
  bool note(const std::string& peer, int socket, const std::string& why);

 private:
  const Clock& clock_;
  Logger& log_;
  AccessLog* access_;
  std::optional<MonotonicTime> last_;
};

}  // namespace hearth
