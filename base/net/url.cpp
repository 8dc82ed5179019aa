#include "base/net/url.hpp"

#include <algorithm>

#include "base/redaction.hpp"
#include "base/text.hpp"

namespace hearth {

namespace {

constexpr std::string_view k_upper_hex = "0123456789ABCDEF";

bool is_unreserved(char c) {
  return (c >= 'A' && c <= 'Z') || (c >= 'a' && c <= 'z') || (c >= '0' && c <= '9') || c == '-' || c == '_' ||
         c == '.' || c == '~';
}

int hex_value(char c) {
  if (c >= '0' && c <= '9') return c - '0';
  if (c >= 'a' && c <= 'f') return c - 'a' + 10;
  if (c >= 'A' && c <= 'F') return c - 'A' + 10;
  return -1;
}

ParseError wrong(std::string_view text, std::string what) { return ParseError{std::string(text), {}, std::move(what)}; }

/// Cuts `text` at the first of `marks` and returns what was before; the mark stays in the rest.
std::string_view take_until(std::string_view& text, std::string_view marks) {
  const std::size_t end = std::min(text.find_first_of(marks), text.size());
  const std::string_view head = text.substr(0, end);
  text.remove_prefix(end);
  return head;
}

/// What may stand in a path or query unencoded; "%" too, since it is taken as written.
constexpr std::string_view k_path_marks = "!$&'()*+,;=:@/%";
constexpr std::string_view k_query_marks = "!$&'()*+,;=:@/?%[]";

bool is_blank_or_control(char c) { return static_cast<unsigned char>(c) <= 0x20 || c == 0x7f; }

struct HostPort {
  std::string host;
  std::string port;
  bool ok = false;
};

/// fe80::1%25eth0 is how a URL has the address fe80::1%eth0 (RFC 6874); many people leave the 25 out. The name of a
/// device keeps its capitals.
std::string with_plain_zone(std::string_view address) {
  const std::size_t mark = address.find('%');
  if (mark == std::string_view::npos) return to_lower(address);
  std::string_view zone = address.substr(mark + 1);
  if (zone.size() > 2 && zone.substr(0, 2) == "25") zone.remove_prefix(2);
  if (zone.empty() || zone.find('%') != std::string_view::npos) return "";
  return cat(to_lower(address.substr(0, mark)), "%", zone);
}

/// RFC 3986 section 3.2.2: brackets stand around an IPv6 address, and nowhere else.
HostPort split_host_port(std::string_view text) {
  if (text.find_first_of("[]") == std::string_view::npos) {
    const std::size_t colon = text.find(':');
    if (colon == std::string_view::npos) return {to_lower(text), "", true};
    return {to_lower(text.substr(0, colon)), std::string(text.substr(colon + 1)), true};
  }
  const std::size_t end = text.find(']');
  const bool is_one_pair = text.front() == '[' && end != std::string_view::npos && text.find_first_of("[]", 1) == end &&
                           text.find_first_of("[]", end + 1) == std::string_view::npos;
  if (!is_one_pair) return {};
  const std::string_view address = text.substr(1, end - 1);
  const std::string_view rest = text.substr(end + 1);
  if (address.find(':') == std::string_view::npos || (!rest.empty() && rest.front() != ':')) return {};
  return {with_plain_zone(address), std::string(rest.substr(std::min<std::size_t>(1, rest.size()))), true};
}

/// RFC 3986 section 5.2.4.
std::string remove_dot_segments(std::string_view path) {
  std::vector<std::string> kept;
  const std::vector<std::string> parts = split(path, '/');
  for (std::size_t i = 1; i < parts.size(); ++i) {
    const bool last = i + 1 == parts.size();
    if (parts[i] == "..") {
      if (!kept.empty()) kept.pop_back();
      if (last) kept.emplace_back();
    } else if (parts[i] != ".") {
      kept.push_back(parts[i]);
    } else if (last) {
      kept.emplace_back();
    }
  }
  return cat("/", join(kept, "/"));
}

Result<Url> with_authority(Url url, std::string_view authority, std::string_view whole) {
  const std::size_t at = authority.rfind('@');
  if (at != std::string_view::npos) {
    url.user_info = std::string(authority.substr(0, at));
    authority.remove_prefix(at + 1);
  }
  const HostPort where = split_host_port(authority);
  if (!where.ok || where.host.empty()) return wrong(whole, "the URL has no valid host");
  url.host = where.host;
  url.port = url.is_tls() ? 443 : 80;
  if (!where.port.empty()) {
    const std::optional<std::uint64_t> port = parse_number(where.port);
    if (!port || *port == 0 || *port > 65535) return wrong(whole, "the URL has a wrong port");
    url.port = static_cast<std::uint16_t>(*port);
  }
  return url;
}

void take_target(Url& url, std::string_view text) {
  text = text.substr(0, text.find('#'));
  const std::string_view path = take_until(text, "?");
  url.path = path.empty() ? "/" : percent_encode(path, k_path_marks);
  url.has_query = !text.empty();
  url.query = url.has_query ? percent_encode(text.substr(1), k_query_marks) : "";
}

}  // namespace

std::string Url::authority() const {
  const std::string name = host.find(':') == std::string::npos ? host : cat("[", replace_all(host, "%", "%25"), "]");
  return has_default_port() ? name : cat(name, ":", port);
}

std::string Url::target() const { return has_query ? cat(path, "?", query) : path; }

std::string Url::text() const { return cat(scheme, "://", authority(), target()); }

std::string Url::masked() const {
  if (!has_query) return text();
  // "asc", "1000": no signature is so short, and no key so plain.
  const auto is_plain = [](std::string_view value) {
    return value.size() <= 5 &&
           value.find_first_not_of("abcdefghijklmnopqrstuvwxyz0123456789") == std::string_view::npos;
  };
  std::vector<std::string> parts = split(query, '&');
  for (std::string& part : parts) {
    const std::size_t equals = part.find('=');
    if (equals == std::string::npos) continue;
    const bool shown = is_plain(std::string_view(part).substr(equals + 1));
    part = shown ? without_secret_values(part, "***") : cat(part.substr(0, equals + 1), "***");
  }
  return cat(scheme, "://", authority(), path, "?", join(parts, "&"));
}

Result<Url> parse_url(std::string_view text) {
  const std::string_view whole = text;
  if (std::any_of(text.begin(), text.end(), is_blank_or_control)) return wrong(whole, "the URL holds white space");
  const std::size_t mark = text.find("://");
  Url url;
  url.scheme = to_lower(text.substr(0, mark == std::string_view::npos ? 0 : mark));
  if (url.scheme != "http" && url.scheme != "https")
    return wrong(whole, "not an http or https URL (http://HOST:PORT is one)");
  text.remove_prefix(mark + 3);
  const std::string_view authority = take_until(text, "/?#");
  take_target(url, text);
  return with_authority(std::move(url), authority, whole);
}

Result<Url> resolve_url(const Url& base, std::string_view reference) {
  if (reference.find("://") < reference.find_first_of("/?#")) return parse_url(reference);
  if (reference.substr(0, 2) == "//") return parse_url(cat(base.scheme, ":", reference));
  Url url = base;
  if (reference.empty() || reference.front() == '#') return url;
  if (reference.front() == '?') {
    take_target(url, cat(base.path, reference));
    return url;
  }
  const std::string directory = base.path.substr(0, base.path.rfind('/') + 1);
  take_target(url, reference.front() == '/' ? std::string(reference) : cat(directory, reference));
  url.path = remove_dot_segments(url.path);
  return url;
}

std::string percent_encode(std::string_view text, std::string_view keep) {
  std::string out;
  out.reserve(text.size());
  for (const char c : text) {
    if (is_unreserved(c) || keep.find(c) != std::string_view::npos) {
      out.push_back(c);
      continue;
    }
    out.push_back('%');
    out.push_back(k_upper_hex[static_cast<unsigned char>(c) >> 4U]);
    out.push_back(k_upper_hex[static_cast<unsigned char>(c) & 15U]);
  }
  return out;
}

std::string percent_decode(std::string_view text) {
  const std::size_t plain = std::min(text.find('%'), text.size());
  std::string out(text.substr(0, plain));
  for (std::size_t i = plain; i < text.size(); ++i) {
    const int high = text[i] == '%' && i + 2 < text.size() ? hex_value(text[i + 1]) : -1;
    const int low = high >= 0 ? hex_value(text[i + 2]) : -1;
    if (low < 0) {
      out.push_back(text[i]);
    } else {
      out.push_back(static_cast<char>(static_cast<unsigned char>(high * 16 + low)));
      i += 2;
    }
  }
  return out;
}

std::string encode_query(const std::vector<std::pair<std::string, std::string>>& parameters) {
  std::vector<std::string> parts;
  for (const auto& [name, value] : parameters) parts.push_back(cat(percent_encode(name), "=", percent_encode(value)));
  return join(parts, "&");
}

std::string without_slash(std::string url) {
  while (!url.empty() && url.back() == '/') url.pop_back();
  return url;
}

}  // namespace hearth
