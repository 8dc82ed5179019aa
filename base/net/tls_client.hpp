// TLS on an open socket: TLS 1.2 and newer, the server's name checked. Only connection.cpp uses the session.
// tls_client.cpp does it by OpenSSL, base/gnutls/tls_client.cpp by GnuTLS (see base/crypto.hpp).
#pragma once

#include <memory>
#include <span>
#include <string>
#include <string_view>
#include <vector>

namespace hearth {

/// Trusted authorities, read once: a system's bundle takes 20 ms.
class TlsContext {
 public:
  /// PEM bundles; none = no authority, for servers that are not verified. Throws Error(io).
  explicit TlsContext(const std::vector<std::string>& ca_files);

 private:
  friend class TlsSession;
  struct Authorities;
  std::shared_ptr<const Authorities> authorities_;
};

/// The far end, as its certificate must name it.
struct TlsPeer {
  std::string host;  ///< a name or an address
  bool verify = true;
  std::string pin;  ///< SHA-256 of its public key (SPKI), in hexadecimal: it is trusted alone, without authorities
};

/// One side of a TLS connection over a non-blocking socket. Nothing here waits: `wants` says what to wait for.
class TlsSession {
 public:
  enum class Wants { nothing, to_read, to_write };
  struct Step {
    Wants wants = Wants::nothing;  ///< nothing = the step is done
    std::size_t size = 0;          ///< bytes read or written; reading 0 bytes is the end
  };

  TlsSession(const TlsContext& context, const TlsPeer& peer, int socket);
  TlsSession(TlsSession&&) noexcept;
  TlsSession& operator=(TlsSession&&) noexcept;
  ~TlsSession();
  /// Throw Error: input when the certificate does not hold, io for the rest.
  [[nodiscard]] Step shake_hands();
  /// After shake_hands(): SHA-256 of the far end's public key, in hexadecimal; empty where it showed no certificate.
  [[nodiscard]] std::string peer_key() const;
  [[nodiscard]] Step read(std::span<char> buffer);
  [[nodiscard]] Step write(std::string_view data);

 private:
  struct State;
  TlsPeer peer_;
  std::unique_ptr<State> state_;
};

}  // namespace hearth
