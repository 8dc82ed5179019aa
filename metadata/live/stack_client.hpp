// The orchestration API as `hearth stack` uses it: requests with the token, redirects followed, errors in words.
#pragma once

#include <string>
#include <string_view>

#include "base/clock.hpp"
#include "base/json.hpp"
#include "base/net/http.hpp"
#include "base/path.hpp"
#include "base/sys/process.hpp"

namespace hearth::metadata::live {

/// In the state directory of a service: where it answers, while it runs in a conductor; and who signs for it.
inline constexpr const char* k_endpoint_file = "endpoint";
inline constexpr const char* k_authority_file = "authority.pem";
/// And where one in a conductor is asked on its own machine, from whatever network namespace.
inline constexpr const char* k_local_socket = "api.socket";

/// How a stack service is reached.
struct StackAddress {
  std::string url;  ///< "https://HOST:8004/v1/PROJECT"
  std::string token;
  std::string ca_file{};  ///< whom to trust there; empty = the system's authorities
  std::string socket{};   ///< the path of a local one, in place of the URL's host and port
};

/// What a command was told of it; empty: not said.
struct GivenAddress {
  std::string url, token_file, ca_file;
};

/// Where a seed keeps its stacks, where `state` is its conductor's: people name that one.
[[nodiscard]] fs::path stacks_in(const fs::path& state);

/// What was not said is that of the service with its state in this directory, as far as that can be read here: by its
/// socket, where somebody listens there and no authority is given, else by its URL; else
/// http://127.0.0.1:8004/v1/admin. Its authority is for its own URL: at another, OS_CACERT says whom to trust.
[[nodiscard]] StackAddress stack_address(const fs::path& state, const GivenAddress& given,
                                         const hearth::Environment& env);

/// For a client of such services: that one's authority is trusted beside the system's, by whichever name it is asked.
[[nodiscard]] hearth::Environment trusting_own(hearth::Environment env, const fs::path& state);

class StackClient {
 public:
  static constexpr std::chrono::seconds k_usual_patience{300};
  /// `patience`: with one answer.
  StackClient(HttpClient& http, const Clock& clock, StackAddress service,
              std::chrono::seconds patience = k_usual_patience)
      : http_(http), clock_(clock), service_(std::move(service)), patience_(patience) {}

  [[nodiscard]] const StackAddress& service() const { return service_; }
  /// The answer's JSON; null when it has no body. Throws Error with the server's own message.
  Json call(const std::string& method, const std::string& path, const Json& body = {});
  /// What the answer to a GET has under a name. Throws Error where that is nothing.
  [[nodiscard]] Json part(const std::string& path, std::string_view name);
  /// "/stacks/NAME/ID" of the stack of that name or id.
  [[nodiscard]] std::string locate(const std::string& stack);

 private:
  [[nodiscard]] HttpResponse send(const std::string& method, const std::string& url, const Json& body);
  /// What a person is to type in place of what was refused; empty where nobody knows.
  [[nodiscard]] std::string advice(const std::string& path, int status, const std::string& said);
  void tell_of_age(const HttpResponse& response);
  [[nodiscard]] HttpRequest request(const std::string& method, const std::string& url, const Json& body) const;

  HttpClient& http_;
  const Clock& clock_;
  StackAddress service_;
  std::chrono::seconds patience_;
  bool told_of_age_ = false;
};

}  // namespace hearth::metadata::live
