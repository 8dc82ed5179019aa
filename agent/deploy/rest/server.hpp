// A small HTTP server for one conductor: a thread for each connection, so that a request may wait for a command.
#pragma once

#include <atomic>
#include <functional>
#include <string>
#include <thread>

#include "agent/deploy/rest/tls_identity.hpp"
#include "base/net/served.hpp"
#include "base/sys/fd.hpp"

namespace hearth::agent::deploy {

class RestServer {
 public:
  using Handler = std::function<ServedResponse(const ServedRequest&)>;

  /// Listens on all addresses, on `port` (0 = a free one), and serves until it is destroyed; with `tls`, which must
  /// outlive it, nothing but HTTPS. Throws Error(io).
  RestServer(std::uint16_t port, Handler handler, const TlsIdentity* tls = nullptr);
  RestServer(const RestServer&) = delete;
  RestServer& operator=(const RestServer&) = delete;
  ~RestServer();

  [[nodiscard]] std::uint16_t port() const { return port_; }

 private:
  void accept_all();
  void serve(const Fd& socket);

  Handler handler_;
  const TlsIdentity* tls_;
  Fd listener_;
  std::uint16_t port_ = 0;
  std::atomic<bool> ending_{false};
  std::atomic<int> connections_{0};
  std::thread thread_;
};

/// A request out of the bytes of a connection so far; nothing while it is not complete. Throws Error(input) for what is
/// no request.
[[nodiscard]] std::optional<ServedRequest> parse_request(std::string_view bytes);

}  // namespace hearth::agent::deploy
