// HttpClient over TCP and TLS (Boost.Beast, OpenSSL): one connection per request, no background threads but the name
// look-up's. Works in a fully static binary on any distribution.
#pragma once

#include <memory>

#include "base/net/http.hpp"
#include "base/net/proxy.hpp"

namespace hearth {

class BeastClient final : public HttpClient {
 public:
  /// Reads from `env`: proxies (see ProxySettings) and SSL_CERT_FILE. `agent` is the User-Agent.
  BeastClient(const Clock& clock, const Environment& env, std::string agent);
  ~BeastClient() override;
  [[nodiscard]] HttpResponse send(const HttpRequest& request) override;

 private:
  struct TlsContexts;
  [[nodiscard]] HttpResponse send_once(const HttpRequest& request);

  const Clock& clock_;
  ProxySettings proxies_;
  std::string system_ca_file_;
  std::string agent_;
  std::unique_ptr<TlsContexts> tls_;  ///< by CA file: parsing a system bundle costs 20 ms
};

/// The first that exists of SSL_CERT_FILE and the bundles of Debian, Fedora, SUSE and Alpine; empty when there is none.
[[nodiscard]] std::string system_ca_file(const Environment& env);

}  // namespace hearth
