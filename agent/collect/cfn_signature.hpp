// EC2/CloudFormation request signature, version 2: base64(HMAC-SHA256(secret, "GET\nHOST\nPATH\nSORTED QUERY")).
#pragma once

#include <string>
#include <utility>
#include <vector>

#include "base/net/url.hpp"

namespace hearth::agent {

using QueryParameters = std::vector<std::pair<std::string, std::string>>;

/// Signature over all `parameters`, which must not contain a Signature. Host and path are those of `url`; the
/// parameters are its query, or the form of a POST.
[[nodiscard]] std::string sign_query(const std::string& secret, const Url& url, QueryParameters parameters,
                                     const std::string& method = "GET");

}  // namespace hearth::agent
