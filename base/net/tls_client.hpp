// TLS on an open socket, by OpenSSL: TLS 1.2 and newer, the server's name checked. Only connection.cpp uses the
// session.
#pragma once

#include <memory>
#include <span>
#include <string>
#include <string_view>

struct ssl_st;
struct ssl_ctx_st;

namespace hearth {

/// Trusted authorities, read once: a system's bundle takes 20 ms.
class TlsContext {
 public:
  /// `ca_file` is a PEM bundle; empty = no authority, for servers that are not verified. Throws Error(io).
  explicit TlsContext(const std::string& ca_file);

 private:
  friend class TlsSession;
  struct Free {
    void operator()(ssl_ctx_st* context) const;
  };
  std::unique_ptr<ssl_ctx_st, Free> context_;
};

/// The far end, as its certificate must name it.
struct TlsPeer {
  std::string host;  ///< a name or an address
  bool verify = true;
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
  /// Throw Error: input when the certificate does not hold, io for the rest.
  [[nodiscard]] Step shake_hands();
  [[nodiscard]] Step read(std::span<char> buffer);
  [[nodiscard]] Step write(std::string_view data);

 private:
  [[nodiscard]] Wants wants_after(int result) const;
  struct Free {
    void operator()(ssl_st* ssl) const;
  };
  TlsPeer peer_;
  std::unique_ptr<ssl_st, Free> ssl_;
};

}  // namespace hearth
