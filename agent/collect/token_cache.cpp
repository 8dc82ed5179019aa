#include "agent/collect/token_cache.hpp"

#include <ctime>

#include "base/error.hpp"
#include "base/hash.hpp"
#include "base/python_json.hpp"
#include "base/text.hpp"

namespace hearth::agent {

namespace {

constexpr Duration k_margin = std::chrono::minutes(1);
constexpr int k_unauthorized = 401;

/// Tokens of different users and clouds lie side by side; a new password makes a new key.
std::string key_of(const KeystoneCredentials& credentials) {
  Hasher hasher(HashKind::sha256);
  for (const std::string* part :
       {&credentials.auth_url, &credentials.user_id, &credentials.project_id, &credentials.password}) {
    hasher.update(cat(part->size(), ":", *part));
  }
  return hasher.hex_digest().substr(0, 32);
}

/// How much longer a token may be used that was fetched `age` ago.
Duration time_left(const KeystoneToken& token, Duration age, Duration lifetime, WallTime now) {
  const std::optional<WallTime> expiry = parse_expiry(token.expires_at);
  const Duration by_server = expiry ? *expiry - now - k_margin : lifetime;
  return std::min(by_server, lifetime - age);
}

}  // namespace

std::optional<WallTime> parse_expiry(const std::string& text) {
  std::tm parts{};
  const char* rest = ::strptime(text.c_str(), "%Y-%m-%dT%H:%M:%S", &parts);
  if (rest == nullptr || (*rest != '.' && *rest != 'Z' && *rest != '\0')) return std::nullopt;
  return WallTime(std::chrono::seconds(::timegm(&parts)));
}

std::string TokenCache::path_of(const std::string& key) const {
  return cat(options_.directory, "/token-", key, ".json");
}

const KeystoneToken* TokenCache::kept(const std::string& key) {
  if (tokens_.count(key) == 0 && !options_.directory.empty()) load(key);
  const auto found = tokens_.find(key);
  if (found == tokens_.end() || clock_.now() >= found->second.until) return nullptr;
  return &found->second.token;
}

/// A file that is damaged, or from the future, is none: a token costs one request.
void TokenCache::load(const std::string& key) {
  try {
    const std::optional<std::string> text = files_.read(path_of(key));
    const Json saved = text ? parse_python_json(*text, path_of(key)).value_or_throw() : Json();
    if (!saved.is_object()) return;
    const KeystoneToken token{saved.at("id").get<std::string>(), saved.at("catalog"),
                              saved.at("expires_at").get<std::string>()};
    const WallTime now = clock_.wall();
    const Duration age = std::chrono::seconds(unix_seconds(now) - saved.at("fetched").get<std::int64_t>());
    const Duration left = time_left(token, age, options_.lifetime, now);
    if (age >= Duration::zero() && left > Duration::zero()) tokens_[key] = {token, clock_.now() + left};
  } catch (const std::exception& error) {
    log_.debug(cat("No token from the cache: ", error.what()));
  }
}

void TokenCache::save(const std::string& key, const KeystoneToken& token) {
  const Json saved = {{"id", token.id},
                      {"catalog", token.catalog},
                      {"expires_at", token.expires_at},
                      {"fetched", unix_seconds(clock_.wall())}};
  try {
    files_.make_directories(options_.directory, 0700);
    files_.write(path_of(key), python_json(saved), {.mode = 0600});
  } catch (const Error& error) {
    log_.warning(cat("Could not keep the token: ", error.what()));
  }
}

KeystoneToken TokenCache::get(HttpClient& http, const KeystoneCredentials& credentials, const Deadline& deadline) {
  const std::string key = key_of(credentials);
  if (const KeystoneToken* token = kept(key)) return *token;
  KeystoneToken token = keystone_token(http, credentials, deadline);
  const Duration left = time_left(token, Duration::zero(), options_.lifetime, clock_.wall());
  if (left <= Duration::zero()) return token;  // our clock and the server's disagree: good for now, not for later
  tokens_[key] = {token, clock_.now() + left};
  if (!options_.directory.empty()) save(key, token);
  return token;
}

void TokenCache::forget(const KeystoneCredentials& credentials) {
  const std::string key = key_of(credentials);
  tokens_.erase(key);
  if (options_.directory.empty()) return;
  try {
    files_.remove(path_of(key));
  } catch (const Error& error) {
    log_.warning(cat("Could not remove a token: ", error.what()));
  }
}

HttpResponse TokenCache::send(HttpClient& http, const KeystoneCredentials& credentials, const Deadline& deadline,
                              const std::function<HttpRequest(const KeystoneToken&)>& make) {
  const bool was_kept = kept(key_of(credentials)) != nullptr;
  HttpResponse response = http.send(make(get(http, credentials, deadline)));
  if (response.status != k_unauthorized) return response;
  forget(credentials);
  return was_kept ? http.send(make(get(http, credentials, deadline))) : response;
}

}  // namespace hearth::agent
