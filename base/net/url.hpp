// Url: an absolute http(s) URL in its parts (RFC 3986), and percent-encoding.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "base/result.hpp"

namespace hearth {

struct Url {
  std::string scheme;      ///< lower case: "http", "https"
  std::string user_info;   ///< as written before "@", still encoded; mostly empty
  std::string host;        ///< lower case; an IPv6 address without its brackets
  std::uint16_t port = 0;  ///< never 0 after parsing: the scheme's own (80, 443) where none was written
  std::string path;        ///< encoded, begins with "/"
  std::string query;       ///< encoded, without "?"
  bool has_query = false;  ///< "/x?" differs from "/x"

  [[nodiscard]] bool is_tls() const { return scheme == "https"; }
  [[nodiscard]] bool has_default_port() const { return port == (is_tls() ? 443 : 80); }
  /// "host" or "host:port" as a Host header has it (RFC 9110 section 7.2).
  [[nodiscard]] std::string authority() const;
  /// Path and query, as the request line has it.
  [[nodiscard]] std::string target() const;
  /// The whole URL without user info and fragment.
  [[nodiscard]] std::string text() const;
  /// For messages: as text(), with the query's values masked, since signed URLs carry secrets there; but for short ones
  /// that no name calls a secret (sort_dir=asc).
  [[nodiscard]] std::string masked() const;
  bool operator==(const Url&) const = default;
};

/// Accepts http and https only; blanks and control characters are refused. Non-ASCII and other odd characters of the
/// path and query are percent-encoded. The fragment is dropped.
[[nodiscard]] Result<Url> parse_url(std::string_view text);

/// Resolves a reference (a Location header) against a base URL (RFC 3986 section 5.2).
[[nodiscard]] Result<Url> resolve_url(const Url& base, std::string_view reference);

/// Encodes all but unreserved characters (A-Z a-z 0-9 - _ . ~) and those in `keep`.
[[nodiscard]] std::string percent_encode(std::string_view text, std::string_view keep = "");
/// Decodes %XX; anything that is no valid escape stays as it is.
[[nodiscard]] std::string percent_decode(std::string_view text);

/// "a=1&b=%20": names and values percent-encoded, in the given order.
[[nodiscard]] std::string encode_query(const std::vector<std::pair<std::string, std::string>>& parameters);

/// "http://a/b" of "http://a/b//".
[[nodiscard]] std::string without_slash(std::string url);

}  // namespace hearth
