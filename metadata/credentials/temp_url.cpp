#include "metadata/credentials/temp_url.hpp"

#include <arpa/inet.h>

#include <algorithm>
#include <array>
#include <ctime>

#include "base/hex.hpp"
#include "base/hmac.hpp"
#include "base/net/url.hpp"
#include "base/text.hpp"

namespace hearth::metadata {

namespace {

constexpr std::size_t k_longest_object = 1024;
constexpr std::size_t k_longest_container = 256;

/// "2038-01-19T03:13:06Z".
std::optional<std::int64_t> parse_iso(const std::string& text) {
  std::tm parts{};
  const char* end = ::strptime(text.c_str(), "%Y-%m-%dT%H:%M:%SZ", &parts);
  if (end == nullptr || *end != '\0') return std::nullopt;
  return ::timegm(&parts);
}

std::optional<std::int64_t> parse_expires(const std::string& text) {
  if (const std::optional<std::uint64_t> number = parse_number(text)) {
    if (*number > static_cast<std::uint64_t>(INT64_MAX)) return std::nullopt;
    return static_cast<std::int64_t>(*number);
  }
  return parse_iso(text);
}

struct Signature {
  HashKind kind = HashKind::sha256;
  std::string hex;
};

std::optional<Signature> parse_named(const std::string& text, std::size_t colon) {
  const std::string name = text.substr(0, colon);
  const std::optional<std::string> bytes = base64_decode(text.substr(colon + 1));
  const std::optional<std::string> padded = bytes ? bytes : base64_decode(cat(text.substr(colon + 1), "="));
  if (!padded) return std::nullopt;
  if (name == "sha1") return Signature{HashKind::sha1, to_hex(*padded)};
  if (name == "sha256") return Signature{HashKind::sha256, to_hex(*padded)};
  if (name == "sha512") return Signature{HashKind::sha512, to_hex(*padded)};
  return std::nullopt;
}

/// The digest is known by the length, or named: "sha256:BASE64".
std::optional<Signature> parse_signature(const std::string& text) {
  if (const std::size_t colon = text.find(':'); colon != std::string::npos) return parse_named(text, colon);
  switch (text.size()) {
    case 40: return Signature{HashKind::sha1, text};
    case 64: return Signature{HashKind::sha256, text};
    case 128: return Signature{HashKind::sha512, text};
    default: return std::nullopt;
  }
}

std::vector<std::string> granting_methods(const std::string& method) {
  if (method == "HEAD") return {"HEAD", "GET", "POST", "PUT"};
  return {method};
}

std::string header_quoted(const std::string& name) { return replace_all(replace_all(name, "%", "%25"), "\"", "%22"); }

/// What was signed, but for method and expiry: the object's path or the prefix's.
std::optional<std::string> signed_path(const Parameters& parameters, const ObjectPath& path) {
  const std::string container = cat("/v1/", path.account, "/", path.container, "/");
  const std::optional<std::string> prefix = find_parameter(parameters, "temp_url_prefix");
  if (!prefix) return container + path.object;
  if (path.object.compare(0, prefix->size(), *prefix) != 0) return std::nullopt;
  return cat("prefix:", container, *prefix);
}

bool is_plain_part(const std::string& part) {
  return part != "." && part != ".." && std::none_of(part.begin(), part.end(), [](char c) {
           return static_cast<unsigned char>(c) < 0x20 || c == 0x7f;
         });
}

struct Address {
  int family = 0;
  std::array<unsigned char, 16> bytes{};
};

std::optional<Address> parse_address(const std::string& text) {
  Address address;
  for (const int family : {AF_INET, AF_INET6}) {
    if (::inet_pton(family, text.c_str(), address.bytes.data()) == 1) {
      address.family = family;
      return address;
    }
  }
  return std::nullopt;
}

}  // namespace

std::optional<ObjectPath> parse_object_path(const std::string& path) {
  const std::vector<std::string> parts = split(path, '/');
  if (parts.size() < 5 || !parts[0].empty() || parts[1] != "v1") return std::nullopt;
  ObjectPath out{parts[2], parts[3], join({parts.begin() + 4, parts.end()}, "/")};
  const bool named = !out.account.empty() && !out.container.empty() && !out.object.empty();
  if (!named || out.object.size() > k_longest_object || out.container.size() > k_longest_container) return std::nullopt;
  if (!std::all_of(parts.begin(), parts.end(), is_plain_part)) return std::nullopt;
  return out;
}

std::optional<TempUrlGrant> check_temp_url(const ServedRequest& request, const ObjectPath& path,
                                           const std::vector<std::string>& keys, std::int64_t now) {
  const Parameters parameters = parse_parameters(request.query);
  const auto signature = parse_signature(parameter_or(parameters, "temp_url_sig", ""));
  const auto expires = parse_expires(parameter_or(parameters, "temp_url_expires", ""));
  const auto target = signed_path(parameters, path);
  if (!signature || !expires || *expires <= now || !target) return std::nullopt;
  const std::optional<std::string> range = find_parameter(parameters, "temp_url_ip_range");
  if (range && !address_in_range(request.peer, *range)) return std::nullopt;
  bool valid = false;  // every key is tried, so that the time tells nothing
  for (const std::string& key : keys) {
    for (const std::string& method : granting_methods(request.method)) {
      const std::string text = cat(range ? cat("ip=", *range, "\n") : "", method, "\n", *expires, "\n", *target);
      valid = equal_in_constant_time(to_hex(hmac(signature->kind, key, text)), signature->hex) || valid;
    }
  }
  if (!valid) return std::nullopt;
  return TempUrlGrant{*expires};
}

std::string temp_url_disposition(const ServedRequest& request, const ObjectPath& path) {
  const Parameters parameters = parse_parameters(request.query);
  const bool is_inline = find_parameter(parameters, "inline").has_value();
  const std::optional<std::string> given = find_parameter(parameters, "filename");
  if (is_inline && !given) return "inline";
  std::string name = given.value_or("");
  if (name.empty()) {
    const std::size_t end = path.object.find_last_not_of('/');
    const std::string stem = path.object.substr(0, end == std::string::npos ? 0 : end + 1);
    name = stem.substr(stem.rfind('/') == std::string::npos ? 0 : stem.rfind('/') + 1);
  }
  return cat(is_inline ? "inline" : "attachment", "; filename=\"", header_quoted(name), "\"; filename*=UTF-8''",
             percent_encode(name, "/"));
}

std::string sign_temp_url(HashKind kind, const std::string& key, const std::string& method, std::int64_t expires,
                          const std::string& path) {
  return to_hex(hmac(kind, key, cat(method, "\n", expires, "\n", path)));
}

std::string make_temp_url(const std::string& key, const std::string& method, std::int64_t expires,
                          const std::string& path) {
  return cat(percent_encode(path, "/"), "?temp_url_sig=", sign_temp_url(HashKind::sha256, key, method, expires, path),
             "&temp_url_expires=", expires);
}

bool address_in_range(const std::string& address, const std::string& range) {
  const std::size_t slash = range.find('/');
  const auto one = parse_address(address);
  const auto net = parse_address(range.substr(0, slash));
  if (!one || !net || one->family != net->family) return false;
  const std::uint64_t whole = one->family == AF_INET ? 32 : 128;
  const auto given = slash == std::string::npos ? whole : parse_number(range.substr(slash + 1));
  if (!given || *given > whole) return false;
  for (std::uint64_t bit = 0; bit < *given; ++bit) {
    const unsigned mask = 0x80U >> (bit % 8);
    if (((one->bytes.at(bit / 8) ^ net->bytes.at(bit / 8)) & mask) != 0) return false;
  }
  return true;
}

}  // namespace hearth::metadata
