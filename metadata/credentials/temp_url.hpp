// Swift's TempURLs: a URL whose signature is the right to one method on one object (or on all below a prefix) until a
// time. Source: the tempurl middleware of OpenStack Swift; tests/unit/metadata/credentials/data holds what it answered.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "base/hash.hpp"
#include "base/net/query.hpp"
#include "base/net/served.hpp"

namespace hearth::metadata {

/// "/v1/ACCOUNT/CONTAINER/OBJECT", decoded. The object may hold slashes.
struct ObjectPath {
  std::string account;
  std::string container;
  std::string object;
  bool operator==(const ObjectPath&) const = default;
};

/// Nothing for other paths: no object, empty parts, "." or ".." as a part, control characters, a name over 1024 bytes.
[[nodiscard]] std::optional<ObjectPath> parse_object_path(const std::string& path);

/// What a valid TempURL grants, beyond the method itself.
struct TempUrlGrant {
  std::int64_t expires = 0;
};

/// Nothing when the URL is not valid: no, wrong or upper-case signature, wrong method, expired, outside prefix or
/// address range. Any of `keys` may have made the signature; HEAD is granted by GET, PUT and POST, too.
[[nodiscard]] std::optional<TempUrlGrant> check_temp_url(const ServedRequest& request, const ObjectPath& path,
                                                         const std::vector<std::string>& keys, std::int64_t now);

/// The header Content-Disposition of an answer that holds the object: named after it, or as the URL asks.
[[nodiscard]] std::string temp_url_disposition(const ServedRequest& request, const ObjectPath& path);

/// Lower-case hex of the signature for `path` ("/v1/ACCOUNT/CONTAINER/OBJECT", not encoded).
[[nodiscard]] std::string sign_temp_url(HashKind kind, const std::string& key, const std::string& method,
                                        std::int64_t expires, const std::string& path);

/// "PATH?temp_url_sig=…&temp_url_expires=…" with SHA-256, encoded.
[[nodiscard]] std::string make_temp_url(const std::string& key, const std::string& method, std::int64_t expires,
                                        const std::string& path);

/// Whether `address` is in `range` ("192.0.2.0/24", "2001:db8::/32" or one address).
[[nodiscard]] bool address_in_range(const std::string& address, const std::string& range);

}  // namespace hearth::metadata
