// Signatures of AWS requests as Heat's CFN API takes them: version 2 (HMAC-SHA256 over verb, host, path and sorted
// query) and version 4 (AWS4-HMAC-SHA256). Pure: the caller looks up the secret that belongs to the key.
// Sources: AWS "Signature Version 2/4 signing process"; what Heat accepts was measured with the real program.
#pragma once

#include <optional>
#include <string>

#include "base/net/query.hpp"
#include "base/net/served.hpp"

namespace hearth::metadata {

/// What a request says about who signed it.
struct AwsCredential {
  enum class Version { two, four };
  Version version = Version::two;
  std::string key_id;
  std::string signature;
};

/// What is signed: the request, and the parameters that count (query or form).
struct SignedRequest {
  const ServedRequest& request;
  const Parameters& parameters;
};

/// Nothing when the request is not signed at all; an empty key id when only that is missing.
[[nodiscard]] std::optional<AwsCredential> find_credential(const SignedRequest& what);

/// Whether `credential.signature` is what `secret` gives. The host counts with or without its port.
[[nodiscard]] bool verify_signature(const SignedRequest& what, const AwsCredential& credential,
                                    const std::string& secret);

/// Base64 of version 2's HMAC. A parameter Signature is left out; SignatureMethod=HmacSHA256 is added where missing.
[[nodiscard]] std::string sign_version_2(const std::string& secret, const std::string& verb, const std::string& host,
                                         const std::string& path, Parameters parameters);

}  // namespace hearth::metadata
