// Identity v3 for those who ask it: find the versioned URL, get a token by password, pick an endpoint from its
// catalogue. https://docs.openstack.org/api-ref/identity/v3/
#pragma once

#include <string>

#include "base/json.hpp"
#include "base/net/http.hpp"

namespace hearth {

struct KeystoneCredentials {
  std::string auth_url;
  std::string user_id;
  std::string password;
  std::string project_id;
};

struct KeystoneToken {
  std::string id;
  Json catalog;            ///< list of services, each with its endpoints
  std::string expires_at;  ///< ISO 8601, as given; empty when not given
};

/// The URL that "/auth/tokens" is put behind. One that ends in /v3 is taken as it is; otherwise the server is asked,
/// and when it gives no answer to go by, /v2.0 at the end becomes /v3, and a bare URL gets /v3.
[[nodiscard]] std::string keystone_v3_url(HttpClient& http, const std::string& auth_url, const Deadline& deadline);

/// Throws Error: as HttpClient does, or Error(external) whose exit_code() is the HTTP status of a refusal. `auth`: who
/// asks, and for what, as the request's "auth" has it.
[[nodiscard]] KeystoneToken keystone_token(HttpClient& http, const std::string& auth_url, const Json& auth,
                                           const Deadline& deadline);
/// Of a user by his password.
[[nodiscard]] KeystoneToken keystone_token(HttpClient& http, const KeystoneCredentials& credentials,
                                           const Deadline& deadline);

/// The public endpoint of the first service of that type, in `region` unless that is empty, without a final slash.
/// Throws Error(not_found): "publicURL endpoint for T service in R region not found".
[[nodiscard]] std::string public_endpoint(const KeystoneToken& token, const std::string& type,
                                          const std::string& region);

}  // namespace hearth
