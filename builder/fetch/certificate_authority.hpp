// A certificate authority made for one build, so that the proxy can record what hooks fetch by https. Its key never
// leaves this process's memory; its certificate is trusted inside the build's sandbox only.
#pragma once

#include <map>
#include <memory>
#include <mutex>
#include <string>

#include "base/certificate.hpp"

struct ssl_ctx_st;

namespace hearth::builder::fetch {

class CertificateAuthority {
 public:
  CertificateAuthority();

  /// The authority's certificate, PEM.
  [[nodiscard]] std::string certificate() const;
  /// A server's side of TLS for `host` (a name or an address), with a certificate made on first use.
  [[nodiscard]] ssl_ctx_st& context_for(const std::string& host);

 private:
  struct FreeContext {
    void operator()(ssl_ctx_st* context) const;
  };

  [[nodiscard]] Certificate issue(const std::string& host) const;

  PrivateKey authority_key_;
  Certificate authority_;
  PrivateKey server_key_;  ///< of all servers: one build is one client
  std::mutex mutex_;
  std::map<std::string, std::unique_ptr<ssl_ctx_st, FreeContext>> contexts_;
};

}  // namespace hearth::builder::fetch
