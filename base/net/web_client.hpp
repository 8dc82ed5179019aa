// HttpClient over TCP and TLS: one connection per request, no background threads but the name look-up's. Works in a
// fully static binary on any distribution.
#pragma once

#include "base/net/dialer.hpp"
#include "base/net/http.hpp"

namespace hearth {

class WebClient final : public HttpClient {
 public:
  /// Reads from `env` what Dialer reads. `agent` is the User-Agent.
  WebClient(const Clock& clock, const Environment& env, std::string agent, AddressCheck check = {});
  [[nodiscard]] HttpResponse send(const HttpRequest& request) override;
  void forget_authorities() { dialer_.forget_authorities(); }

 private:
  [[nodiscard]] HttpResponse send_once(const HttpRequest& request);

  const Clock& clock_;
  Dialer dialer_;
  std::string agent_;
};

}  // namespace hearth
