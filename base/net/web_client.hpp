// HttpClient over TCP and TLS: one connection per request, no background threads but the name look-up's. Works in a
// fully static binary on any distribution.
#pragma once

#include "base/net/dialer.hpp"
#include "base/net/http.hpp"

namespace hearth {

/// The head of a request on HTTP/1.1, with the credentials of its URL and of `proxy`, one for unencrypted requests;
/// fields of `request` replace ours of the same name. Line ends in values become blanks.
[[nodiscard]] std::string request_head(const HttpRequest& request, const std::optional<Url>& proxy,
                                       const std::string& agent);

class WebClient final : public HttpClient {
 public:
  /// Reads from `env` what Dialer reads. `agent` is the User-Agent.
  WebClient(const Clock& clock, const Environment& env, std::string agent, AddressCheck check = {});
  [[nodiscard]] HttpResponse send(const HttpRequest& request) override;

 private:
  [[nodiscard]] HttpResponse send_once(const HttpRequest& request);

  const Clock& clock_;
  Dialer dialer_;
  std::string agent_;
};

}  // namespace hearth
