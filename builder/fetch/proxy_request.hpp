// Requests to a proxy, out of bytes as they come (RFC 9112, by Boost.Beast's parser).
#pragma once

#include <memory>
#include <string>
#include <string_view>

#include "base/net/http.hpp"

namespace hearth::builder::fetch {

struct ProxyRequest {
  std::string method;
  std::string target;
  HttpHeaders headers;
  std::string body;
  bool keep_alive = true;
};

class RequestReader {
 public:
  RequestReader();
  RequestReader(const RequestReader&) = delete;
  RequestReader& operator=(const RequestReader&) = delete;
  ~RequestReader();

  void feed(std::string_view bytes);
  [[nodiscard]] bool done() const;
  /// Why this is no request; empty as long as all is well.
  [[nodiscard]] const std::string& problem() const { return problem_; }
  /// The client waits for "100 Continue" before it sends the body; true once for each request.
  [[nodiscard]] bool wants_encouragement();
  /// The complete request; what came behind it belongs to the next one.
  [[nodiscard]] ProxyRequest take();
  /// Nothing of a request has come yet.
  [[nodiscard]] bool idle() const;

 private:
  void parse();
  struct Parser;
  std::unique_ptr<Parser> parser_;
  std::string pending_;
  std::string problem_;
  bool encouraged_ = false;
};

}  // namespace hearth::builder::fetch
