// The agent's own certificate: made at its start, known to nobody else, and told to the conductor with each heartbeat,
// as ironic-python-agent does it (agent_verify_ca, Ironic's API 1.68).
#pragma once

#include <memory>
#include <span>
#include <string>
#include <string_view>

namespace hearth::agent::deploy {

/// A key (EC, P-256) and a certificate for it, signed by itself (RFC 5280).
class TlsIdentity {
 public:
  /// `host` is the name or address under which this machine is called. The certificate holds from 2000 to 2049: it
  /// lives as long as this process, and a machine's clock may be far off before anything is installed. Throws
  /// Error(io).
  explicit TlsIdentity(const std::string& host);

  /// PEM, for whoever is to trust it.
  [[nodiscard]] std::string certificate() const;

 private:
  friend class TlsServed;
  struct Credentials;
  std::shared_ptr<const Credentials> credentials_;
  std::string pem_;
};

/// The server's side of one connection, over a socket that blocks within its own time limits.
class TlsServed {
 public:
  /// Shakes hands. Throws Error(io) when the client does not.
  TlsServed(const TlsIdentity& identity, int socket);
  TlsServed(TlsServed&&) noexcept;
  TlsServed& operator=(TlsServed&&) noexcept;
  ~TlsServed();
  /// Bytes read; 0 at the end and when the client is too slow.
  [[nodiscard]] std::size_t read(std::span<char> buffer);
  /// False when the client is gone.
  bool write(std::string_view bytes);
  /// Says goodbye, so that the client knows the answer to be whole.
  void close();

 private:
  struct Session;
  std::unique_ptr<Session> session_;
};

}  // namespace hearth::agent::deploy
