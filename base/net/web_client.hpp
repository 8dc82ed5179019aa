// HttpClient over TCP and TLS: one connection per request, no background threads but the name look-up's. Works in a
// fully static binary on any distribution.
#pragma once

#include <functional>
#include <string_view>

#include "base/net/dialer.hpp"
#include "base/net/http.hpp"

namespace hearth {

class WebClient final : public HttpClient {
 public:
  /// Reads from `env` what Dialer reads. `agent` is the User-Agent.
  WebClient(const Clock& clock, const Environment& env, std::string agent, AddressCheck check = {});
  [[nodiscard]] HttpResponse send(const HttpRequest& request) override;
  /// Likewise, with a body of `size` bytes that `next` gives piece by piece, as images have. What it throws, no
  /// Error(io), ends the exchange before the body is whole, so that no server keeps it. Redirects are not followed.
  [[nodiscard]] HttpResponse upload(const HttpRequest& request, std::uint64_t size,
                                    const std::function<std::string_view()>& next);
  void forget_authorities() { dialer_.forget_authorities(); }

 private:
  using WriteRequest = std::function<void(Connection&, const std::string& head, const Deadline&)>;
  [[nodiscard]] HttpResponse send_once(const HttpRequest& request);
  [[nodiscard]] HttpResponse exchange(const HttpRequest& request, const WriteRequest& write);

  const Clock& clock_;
  Dialer dialer_;
  std::string agent_;
};

}  // namespace hearth
