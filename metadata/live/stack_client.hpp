// The orchestration API as `hearth stack` uses it: requests with the token, redirects followed, errors in words.
#pragma once

#include <string>
#include <string_view>

#include "base/clock.hpp"
#include "base/json.hpp"
#include "base/net/http.hpp"

namespace hearth::metadata::live {

class StackClient {
 public:
  /// `url`: "http://HOST:8004/v1/PROJECT".
  StackClient(HttpClient& http, const Clock& clock, std::string url, std::string token)
      : http_(http), clock_(clock), url_(std::move(url)), token_(std::move(token)) {}

  /// The answer's JSON; null when it has no body. Throws Error with the server's own message.
  Json call(const std::string& method, const std::string& path, const Json& body = {});
  /// What the answer to a GET has under a name. Throws Error where that is nothing.
  [[nodiscard]] Json part(const std::string& path, std::string_view name);
  /// "/stacks/NAME/ID" of the stack of that name or id.
  [[nodiscard]] std::string locate(const std::string& stack);

 private:
  [[nodiscard]] HttpResponse send(const std::string& method, const std::string& url, const Json& body);
  void tell_of_age(const HttpResponse& response);
  [[nodiscard]] HttpRequest request(const std::string& method, const std::string& url, const Json& body) const;

  HttpClient& http_;
  const Clock& clock_;
  std::string url_;
  std::string token_;
  bool told_of_age_ = false;
};

}  // namespace hearth::metadata::live
