// EC2/CloudFormation request signature, version 2: base64(HMAC-SHA256(secret, "GET\nHOST\nPATH\nSORTED QUERY")).
#pragma once

#include <string>
#include <utility>
#include <vector>

#include "base/net/url.hpp"

namespace hearth::agent {

using QueryParameters = std::vector<std::pair<std::string, std::string>>;

/// Signature over all `parameters`, which must not contain a Signature. Host and path are those of `url`.
[[nodiscard]] std::string sign_query(const std::string& secret, const Url& url, QueryParameters parameters);

}  // namespace hearth::agent
