#include "metadata/credentials/aws_signature.hpp"

#include <algorithm>

#include "base/hash.hpp"
#include "base/hex.hpp"
#include "base/hmac.hpp"
#include "base/net/url.hpp"
#include "base/text.hpp"

namespace hearth::metadata {

namespace {

/// Version 4's parts, from the Authorization header or from the query.
struct Four {
  std::string credential;  ///< KEY/DATE/REGION/SERVICE/aws4_request
  std::string signed_headers;
  std::string signature;
  std::string date;  ///< X-Amz-Date
  bool in_query = false;
};

std::string part_after(const std::string& text, std::string_view name) {
  for (const std::string& piece : split(replace_all(text, " ", ","), ',')) {
    if (piece.compare(0, name.size(), name) == 0) return piece.substr(name.size());
  }
  return "";
}

std::optional<Four> find_four(const SignedRequest& what) {
  const std::string header = what.request.header("Authorization").value_or("");
  if (header.compare(0, 16, "AWS4-HMAC-SHA256") == 0) {
    return Four{part_after(header, "Credential="), part_after(header, "SignedHeaders="),
                part_after(header, "Signature="), what.request.header("X-Amz-Date").value_or(""), false};
  }
  if (parameter_or(what.parameters, "X-Amz-Algorithm", "") != "AWS4-HMAC-SHA256") return std::nullopt;
  return Four{
      parameter_or(what.parameters, "X-Amz-Credential", ""), parameter_or(what.parameters, "X-Amz-SignedHeaders", ""),
      parameter_or(what.parameters, "X-Amz-Signature", ""), parameter_or(what.parameters, "X-Amz-Date", ""), true};
}

std::string without_port(const std::string& host) {
  const std::size_t colon = host.rfind(':');
  return colon == std::string::npos || host.find(']', colon) != std::string::npos ? host : host.substr(0, colon);
}

std::string canonical_query(Parameters parameters) {
  std::sort(parameters.begin(), parameters.end());
  return encode_query(parameters);
}

std::string canonical_headers(const ServedRequest& request, const std::string& signed_headers,
                              const std::string& host) {
  std::string lines;
  for (const std::string& name : split(signed_headers, ';')) {
    const std::string value = name == "host" ? host : request.header(name).value_or("");
    lines += cat(name, ":", join(split_words(value), " "), "\n");
  }
  return lines;
}

std::string four_signature(const SignedRequest& what, const Four& four, const std::string& secret,
                           const std::string& host) {
  const std::vector<std::string> scope = split(four.credential, '/');
  Parameters query;
  if (four.in_query || what.request.method == "GET") query = what.parameters;
  std::erase_if(query, [](const auto& parameter) { return parameter.first == "X-Amz-Signature"; });
  const std::string body_hash = hex_digest(HashKind::sha256, what.request.body);
  const std::string canonical =
      cat(what.request.method, "\n", what.request.path, "\n", canonical_query(query), "\n",
          canonical_headers(what.request, four.signed_headers, host), "\n", four.signed_headers, "\n", body_hash);
  const std::string to_sign = cat("AWS4-HMAC-SHA256\n", four.date, "\n", join({scope.begin() + 1, scope.end()}, "/"),
                                  "\n", hex_digest(HashKind::sha256, canonical));
  std::string key = cat("AWS4", secret);
  for (std::size_t i = 1; i < scope.size(); ++i) key = hmac(HashKind::sha256, key, scope[i]);
  return to_hex(hmac(HashKind::sha256, key, to_sign));
}

bool verify_four(const SignedRequest& what, const std::string& secret) {
  const std::optional<Four> four = find_four(what);
  if (!four) return false;
  const std::vector<std::string> scope = split(four->credential, '/');
  if (scope.size() != 5 || scope[4] != "aws4_request" || scope[1].size() != 8) return false;
  if (four->date.compare(0, 8, scope[1]) != 0) return false;
  const std::string host = what.request.host();
  return equal_in_constant_time(four_signature(what, *four, secret, host), four->signature) ||
         equal_in_constant_time(four_signature(what, *four, secret, without_port(host)), four->signature);
}

}  // namespace

std::optional<AwsCredential> find_credential(const SignedRequest& what) {
  if (const std::optional<Four> four = find_four(what)) {
    return AwsCredential{AwsCredential::Version::four, split(four->credential, '/').front(), four->signature};
  }
  const std::optional<std::string> signature = find_parameter(what.parameters, "Signature");
  if (!signature) return std::nullopt;
  return AwsCredential{AwsCredential::Version::two, parameter_or(what.parameters, "AWSAccessKeyId", ""), *signature};
}

bool verify_signature(const SignedRequest& what, const AwsCredential& credential, const std::string& secret) {
  if (credential.version == AwsCredential::Version::four) return verify_four(what, secret);
  const auto expected = [&](const std::string& host) {
    return sign_version_2(secret, what.request.method, host, what.request.path, what.parameters);
  };
  const std::string host = what.request.host();
  return equal_in_constant_time(expected(host), credential.signature) ||
         equal_in_constant_time(expected(without_port(host)), credential.signature);
}

std::string sign_version_2(const std::string& secret, const std::string& verb, const std::string& host,
                           const std::string& path, Parameters parameters) {
  std::erase_if(parameters, [](const auto& parameter) { return parameter.first == "Signature"; });
  if (!find_parameter(parameters, "SignatureMethod")) parameters.emplace_back("SignatureMethod", "HmacSHA256");
  return base64_encode(hmac(HashKind::sha256, secret,
                            cat(verb, "\n", to_lower(host), "\n", path, "\n", canonical_query(std::move(parameters)))));
}

}  // namespace hearth::metadata
