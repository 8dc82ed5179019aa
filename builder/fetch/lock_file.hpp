// hearth.lock: what a build fetched over the network, one line each, in a stable order fit for code review:
//
//   GET http://mirror.example/debian/dists/bookworm/InRelease 200 sha256:9f86d0… 151082
//   last-modified=Sat,%2010%20Feb%202024…
//
// Method, URL, status, digest and size (bytes) of the body, and those header fields that clients act on,
// percent-encoded. A line "SET NAME VALUE" keeps what hooks took from the recording machine's own configuration, such
// as its mirror, for machines that are configured in another way. A POST's method is "POST:" and the digest of what was
// sent. A method ends in ";accept=TYPES" when the client chose among forms, in ";git-protocol=VERSION" when git
// did, in ";authorized" when the client showed a credential, which is not kept. A field hearth-redacted=location or
// =body tells that a signed URL or a token in the answer is not kept either (redactions.hpp); for hearth-vary and
// ";vary=" see variants.hpp. Lines that begin with # are comments.
#pragma once

#include <cstdint>
#include <map>
#include <string>
#include <string_view>
#include <tuple>
#include <vector>

#include "base/net/http.hpp"
#include "base/result.hpp"

namespace hearth::builder::fetch {

/// What was asked for. URLs sort before methods, so that a lock reads like a list of files.
struct FetchKey {
  std::string
      method;  ///< "GET", which answers a HEAD too, or "POST:<sha256 of the request's body>"; and what it varied by
  std::string url;  ///< without user info and fragment
  friend bool operator<(const FetchKey& a, const FetchKey& b) {
    return std::tie(a.url, a.method) < std::tie(b.url, b.method);
  }
  bool operator==(const FetchKey&) const = default;
};

/// What came back. The body is an object of the store, named by its digest.
struct Fetched {
  int status = 200;
  std::string sha256;  ///< lower-case hexadecimal
  std::uint64_t size = 0;
  HttpHeaders headers;  ///< those of kept_headers(), names in lower case, sorted
  bool operator==(const Fetched&) const = default;
};

struct Lock {
  std::map<FetchKey, Fetched> fetches;
  std::map<std::string, std::string> settings;  ///< variables whose values hooks took from the recording machine
  std::vector<std::string> notes;               ///< written as comments; not read back

  /// Something in it was fetched by https: replaying it needs a certificate authority of ours.
  [[nodiscard]] bool has_https() const;
};

/// The fields of an answer that go into the lock.
[[nodiscard]] HttpHeaders kept_headers(const HttpHeaders& headers);

[[nodiscard]] std::string lock_text(const Lock& lock);
[[nodiscard]] Result<Lock, ParseError> parse_lock(std::string_view text, std::string_view source);

}  // namespace hearth::builder::fetch
