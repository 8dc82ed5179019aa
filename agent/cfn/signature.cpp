#include "agent/cfn/signature.hpp"

#include <array>
#include <ctime>

#include "base/hash.hpp"
#include "base/hex.hpp"
#include "base/hmac.hpp"
#include "base/text.hpp"

namespace hearth::agent {

namespace {

/// "20260131T130203Z".
std::string basic_time(WallTime now) {
  const std::time_t seconds =
      std::chrono::system_clock::to_time_t(std::chrono::time_point_cast<std::chrono::system_clock::duration>(now));
  std::tm parts{};
  ::gmtime_r(&seconds, &parts);
  std::array<char, 32> text{};
  return {text.data(), std::strftime(text.data(), text.size(), "%Y%m%dT%H%M%SZ", &parts)};
}

}  // namespace

HttpHeaders sign_get(const Url& url, const AwsCredentials& credentials, const AwsScope& scope, WallTime now) {
  const std::string time = basic_time(now);
  const std::string date = time.substr(0, 8);
  const std::string request = cat("GET\n", url.path, "\n", url.query, "\nhost:", url.authority(), "\nx-amz-date:", time,
                                  "\n\nhost;x-amz-date\n", hex_digest(HashKind::sha256, ""));
  const std::string scope_text = cat(date, "/", scope.region, "/", scope.service, "/aws4_request");
  const std::string to_sign =
      cat("AWS4-HMAC-SHA256\n", time, "\n", scope_text, "\n", hex_digest(HashKind::sha256, request));
  std::string key = cat("AWS4", credentials.secret_key);
  for (const std::string& part : {date, scope.region, scope.service, std::string("aws4_request")}) {
    key = hmac(HashKind::sha256, key, part);
  }
  const std::string signature = to_hex(hmac(HashKind::sha256, key, to_sign));
  return {{"X-Amz-Date", time},
          {"Authorization", cat("AWS4-HMAC-SHA256 Credential=", credentials.access_key, "/", scope_text,
                                ",SignedHeaders=host;x-amz-date,Signature=", signature)}};
}

}  // namespace hearth::agent
