#include "builder/fetch/redactions.hpp"

#include <algorithm>
#include <array>

#include "base/json.hpp"
#include "base/redaction.hpp"
#include "base/text.hpp"
#include "builder/fetch/git_request.hpp"

namespace hearth::builder::fetch {

namespace {

constexpr const char* k_mark = "hearth-redacted";  // among the fields of a lock
constexpr std::uint64_t k_largest_token = std::uint64_t{64} << 10U;
/// Members of the answers of OAuth 2.0 (RFC 6749 section 5.1), OpenID Connect and container registries.
constexpr std::array<const char*, 4> k_tokens = {"token", "access_token", "refresh_token", "id_token"};
/// When they were handed out: another time in each recording, and long ago in a replay.
constexpr std::array<const char*, 2> k_token_times = {"issued_at", "expires_at"};

bool may_hold_token(int status, const HttpHeaders& headers, std::uint64_t size) {
  const std::string type = to_lower(find_header(headers, "Content-Type").value_or(""));
  return status == 200 && size <= k_largest_token && type.find("json") != std::string::npos;
}

/// With secret members masked, however deep; nothing where there are none.
bool mask_members(Json& json, std::string_view mask) {
  bool masked = false;
  for (const auto& [name, value] : json.items()) {
    if (value.is_structured()) masked = mask_members(value, mask) || masked;
    if (!json.is_object() || !value.is_string() || value.get_ref<const std::string&>().starts_with(k_redacted))
      continue;
    if (without_secret_values(cat(name, "=x")) == cat(name, "=x")) continue;
    value = mask;
    masked = true;
  }
  return masked;
}

/// git-lfs lists the ways in which it can take files in another order each time.
bool sort_transfers(Json& json) {
  if (!json.is_object() || !json.contains("transfers") || !json["transfers"].is_array()) return false;
  std::sort(json["transfers"].begin(), json["transfers"].end());
  return true;
}

std::string masked_body(const HttpHeaders& asked, const std::string& body, std::string_view mask) {
  const std::string type = to_lower(find_header(asked, "Content-Type").value_or(""));
  if (type == "application/x-git-upload-pack-request") return without_agent(body).value_or(body);
  if (type.starts_with("application/x-www-form-urlencoded")) return without_secret_values(body, mask);
  if (type.find("json") == std::string::npos || find_header(asked, "Content-Encoding")) return body;
  const Result<Json> read = parse_json(body, "the posted body");
  Json json = read ? *read : Json();
  const bool sorted = type.starts_with("application/vnd.git-lfs+json") && sort_transfers(json);
  return mask_members(json, mask) || sorted ? format_json(json) : body;
}

std::optional<std::string> without_tokens(std::string_view body) {
  const Result<Json> read = parse_json(body, "an answer");
  if (!read || !read->is_object()) return std::nullopt;
  Json json = *read;
  bool found = false;
  for (const char* name : k_tokens) {
    const auto token = json.find(name);
    if (token == json.end() || !token->is_string() || token->get_ref<const std::string&>().empty()) continue;
    *token = k_redacted;
    found = true;
  }
  if (!found) return std::nullopt;
  for (const char* name : k_token_times) json.erase(name);
  return format_json(json);
}

}  // namespace

/// The first text that is masked so gets the plain mask.
std::string Redactions::mask_for(const std::string& masked, const std::string& text) {
  const std::scoped_lock lock(mutex_);
  std::vector<std::string>& texts = seen_[masked];
  const auto found = std::find(texts.begin(), texts.end(), text);
  const auto number = found - texts.begin() + 1;
  if (found == texts.end()) texts.push_back(text);
  return number == 1 ? std::string(k_redacted) : cat(k_redacted, "-", number);
}

std::string Redactions::url(const Url& url) {
  Url masked = url;
  masked.query = without_secret_values(url.query);
  if (masked.query != url.query) masked.query = without_secret_values(url.query, mask_for(masked.text(), url.text()));
  return masked.text();
}

std::string Redactions::posted(const HttpHeaders& asked, const std::string& body) {
  std::string masked = masked_body(asked, body, k_redacted);
  if (masked.find(k_redacted) == std::string::npos) return masked;
  return masked_body(asked, body, mask_for(masked, body));
}

/// Where a redirect leads, without secrets; as it is where there are none.
std::string Redactions::location(const Url& asked, const std::string& reference) {
  const Result<Url> to = resolve_url(asked, reference);
  if (!to) return without_credentials(reference);
  const std::string kept = url(*to);
  if (to->user_info.empty()) return kept == to->text() ? reference : kept;
  // The client shows a credential there in a replay, too.
  return replace_all(kept, cat(to->scheme, "://"), cat(to->scheme, "://", k_redacted, "@"));
}

std::optional<KeptAnswer> Redactions::answer(const Url& asked, int status, const HttpHeaders& headers,
                                             std::string_view body) {
  KeptAnswer kept{headers, std::string(is_redirect(status) ? "" : body)};
  std::vector<std::string> what;
  for (auto& [name, value] : kept.headers) {
    if (name != "location") continue;
    std::string masked = location(asked, value);
    if (masked != value) what.push_back(name);
    value = std::move(masked);
  }
  if (std::optional<std::string> text =
          may_hold_token(status, headers, body.size()) ? without_tokens(body) : std::nullopt) {
    kept.body = std::move(*text);
    what.emplace_back("body");
  }
  if (what.empty()) return std::nullopt;
  kept.headers.emplace_back(k_mark, join(what, ","));
  std::sort(kept.headers.begin(), kept.headers.end());
  return kept;
}

bool is_redirect(int status) { return status >= 300 && status < 400; }

bool may_carry_credential(int status, const HttpHeaders& headers, std::uint64_t size) {
  return find_header(headers, "Location") || may_hold_token(status, headers, size);
}

bool is_redacted(const Fetched& fetched) { return find_header(fetched.headers, k_mark).has_value(); }

bool is_redacted(std::string_view url) { return url.find(cat("=", k_redacted)) != std::string_view::npos; }

}  // namespace hearth::builder::fetch
