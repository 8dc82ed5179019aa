// HTTP requests and answers as values, and HttpClient, the seam to the network. web_client.hpp has the real one,
// tests/fakes/scripted_http.hpp the fake.
#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "base/clock.hpp"
#include "base/net/url.hpp"

namespace hearth {

/// Header fields in order; names compare without case.
using HttpHeaders = std::vector<std::pair<std::string, std::string>>;

/// The first field of that name.
[[nodiscard]] std::optional<std::string> find_header(const HttpHeaders& headers, std::string_view name);

/// All fields of that name as one, in their order (RFC 9110 section 5.3).
[[nodiscard]] std::optional<std::string> joined_header(const HttpHeaders& headers, std::string_view name);

struct HttpResponse;

/// Takes an answer's body as it comes, in place of HttpResponse::body. What it throws ends the exchange.
class BodySink {
 public:
  virtual ~BodySink() = default;
  /// Status and headers are there.
  virtual void begin(const HttpResponse& head) = 0;
  virtual void take(std::string_view bytes) = 0;
};

struct HttpRequest {
  std::string method = "GET";
  Url url;
  HttpHeaders headers;  ///< Host, Content-Length and Connection are the client's business
  std::string body;
  Deadline deadline = Deadline::never();            ///< for the whole exchange, redirects included
  Duration stall{};                                 ///< without a byte of the answer for so long is an Error; 0 = ever
  int max_redirects = 0;                            ///< 0 = a 3xx is an answer like any other
  std::size_t body_limit = std::size_t{64} << 20U;  ///< bytes; a longer answer is an Error
  bool verify_tls = true;
  std::string socket;        ///< the path of a local one, in place of the URL's host and port
  std::string ca_file;       ///< PEM bundle that replaces the system's; empty = the system's
  std::string pin;           ///< of the server's key (TlsPeer), in place of authorities; empty = none
  BodySink* sink = nullptr;  ///< not owned
};

struct HttpResponse {
  int status = 0;
  std::string reason;
  HttpHeaders headers;
  std::string body;
  Url url;  ///< where it came from, after redirects

  [[nodiscard]] bool ok() const { return status >= 200 && status < 300; }
};

class HttpClient {
 public:
  virtual ~HttpClient() = default;
  /// Any answer is a result, whatever its status. Throws Error(io) when there is none: no address, no connection,
  /// broken or too long answer, deadline passed; Error(input) when the server's certificate does not hold.
  [[nodiscard]] virtual HttpResponse send(const HttpRequest& request) = 0;
};

/// The request to send next when `response` is a redirect (301, 302, 303, 307, 308 with a Location), with
/// max_redirects counted down; nothing when it isn't, or when no more are allowed. 303, and 301/302 to a POST, become a
/// GET. Credentials (Authorization, X-Auth-Token, Cookie, those of the URL) are dropped on the way to another origin
/// (RFC 9110 section 15.4).
[[nodiscard]] std::optional<HttpRequest> redirected(const HttpRequest& request, const HttpResponse& response);

}  // namespace hearth
