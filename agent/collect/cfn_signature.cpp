#include "agent/collect/cfn_signature.hpp"

#include <algorithm>

#include "base/hmac.hpp"
#include "base/text.hpp"

namespace hearth::agent {

std::string sign_query(const std::string& secret, const Url& url, QueryParameters parameters,
                       const std::string& method) {
  std::sort(parameters.begin(), parameters.end());
  const std::string text = cat(method, "\n", url.authority(), "\n", url.path, "\n", encode_query(parameters));
  return base64_encode(hmac(HashKind::sha256, secret, text));
}

}  // namespace hearth::agent
