// AWS signature version 4 of a GET request, as Heat's CFN API checks it (keystone recomputes it from the scope that the
// request names). https://docs.aws.amazon.com/IAM/latest/UserGuide/create-signed-request.html
#pragma once

#include <string>

#include "base/clock.hpp"
#include "base/net/http.hpp"

namespace hearth::agent {

struct AwsCredentials {
  std::string access_key;
  std::string secret_key;
};

struct AwsScope {
  std::string region;
  std::string service;
};

/// The headers to add, X-Amz-Date and Authorization. The names and values of the query must be percent-encoded and in
/// the order of their names.
[[nodiscard]] HttpHeaders sign_get(const Url& url, const AwsCredentials& credentials, const AwsScope& scope,
                                   WallTime now);

}  // namespace hearth::agent
