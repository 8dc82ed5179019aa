// What an HTTP server hands to its handler and gets back, as values. http_server.hpp has the server.
#pragma once

#include <cstdint>
#include <functional>
#include <limits>
#include <memory>
#include <optional>
#include <string>
#include <string_view>

#include "base/net/http.hpp"
#include "base/net/served_stream.hpp"
#include "base/result.hpp"

namespace hearth {

struct ServedRequest {
  std::string method;
  std::string target;    ///< as it was sent, "/a%20b?c=d"
  std::string raw_path;  ///< the target's path, still encoded
  std::string path;      ///< decoded; may hold any byte but NUL
  std::string query;     ///< without "?", still encoded
  HttpHeaders headers;
  std::string body;
  std::string peer;                   ///< the client's address without port; "local" by a socket that has a path
  std::optional<std::uint32_t> user;  ///< then: whose process it is, as the kernel says
  bool tls = false;

  [[nodiscard]] std::optional<std::string> header(std::string_view name) const { return find_header(headers, name); }
  /// "host[:port]" of the Host field; empty when the client sent none.
  [[nodiscard]] std::string host() const { return header("Host").value_or(""); }
};

struct ServedResponse {
  int status = 200;
  std::string reason;  ///< empty = the usual one
  HttpHeaders headers;
  std::string body;
  std::shared_ptr<const std::string> shared_body;  ///< in place of `body`: not copied
  std::shared_ptr<ServedStream> stream;            ///< in place of both: sent as it comes, without a length
  std::string principal;                           ///< who asked, for the access log; empty = nobody who is known

  [[nodiscard]] const std::string& content() const { return shared_body ? *shared_body : body; }
};

/// What is said of a request whose body has not been read yet.
struct Admission {
  std::optional<ServedResponse> refusal{};                               ///< sent at once, in place of any answer
  std::uint64_t body_bytes = std::numeric_limits<std::uint64_t>::max();  ///< more is answered with 413
};

/// What has to happen elsewhere before a request is answered. To destroy it ends that: its client has gone.
class HeldAnswer {
 public:
  virtual ~HeldAnswer() = default;
  /// Begins. `wake` is called on the server's thread, maybe at once and maybe often, when answer() is worth a call.
  virtual void start(std::function<void()> wake) = 0;
  /// Nothing: it is not time yet. Called on the server's thread, never in the midst of another answer.
  [[nodiscard]] virtual std::optional<ServedResponse> answer() = 0;
};

class HttpHandler {
 public:
  virtual ~HttpHandler() = default;
  /// Called with all but the body: whoever may not ask is refused before the body takes memory.
  [[nodiscard]] virtual Admission admit(const ServedRequest& head) {
    (void)head;
    return {};
  }
  /// Whether admit() can be asked in the midst of another answer: it looks at nothing that may be changing.
  [[nodiscard]] virtual bool admits_at_once(const ServedRequest& head) const {
    (void)head;
    return false;
  }
  /// Whether this can be answered in the midst of another answer (HttpServer::breathe()): it changes nothing, and reads
  /// nothing that is being changed. What can't waits until the other answer is made.
  [[nodiscard]] virtual bool answers_at_once(const ServedRequest& request) const {
    (void)request;
    return false;
  }
  /// Asked before answer(): where there is one, its answer is sent in place of that, and others are served meanwhile.
  /// `request` lives as long as what is returned.
  [[nodiscard]] virtual std::unique_ptr<HeldAnswer> hold(const ServedRequest& request) {
    (void)request;
    return nullptr;
  }
  /// Called on the server's one thread: it must not wait. What it throws is logged and answered with 500.
  [[nodiscard]] virtual ServedResponse answer(const ServedRequest& request) = 0;
};

/// Takes a request target apart: origin form and absolute form (RFC 9112 section 3.2). The error is a reason.
struct RequestTarget {
  std::string raw_path;
  std::string path;
  std::string query;
};
[[nodiscard]] Result<RequestTarget, std::string> parse_request_target(std::string_view target);

/// The status line and headers, up to the empty line. Content-Length is added but for 1xx, 204, 304 and streams.
[[nodiscard]] std::string response_head(const ServedResponse& response, std::string_view date, bool keep_alive);

[[nodiscard]] std::string_view usual_reason(int status);
/// An answer that only says its status, as text.
[[nodiscard]] ServedResponse plain_response(int status);
/// A 503 that says why nothing is answered, where `why` says something.
[[nodiscard]] std::optional<ServedResponse> pause_answer(const std::function<std::string()>& why);
/// Whether a Host field's value can be one: a name or an address, with or without a port.
[[nodiscard]] bool can_be_host(std::string_view text);

/// The target with the values of secret parameters (signatures, tokens) masked, for logs.
[[nodiscard]] std::string without_secrets(std::string_view target);

}  // namespace hearth
