// Keystone tokens that are used from poll to poll: in memory, and in files where [keystone] cache_dir is set, so that a
// program that executes itself anew, or runs once from a timer, does not ask for one each time. With thousands of
// servers that is most of Keystone's load.
#pragma once

#include <functional>
#include <map>
#include <string>

#include "base/clock.hpp"
#include "base/log.hpp"
#include "base/net/keystone.hpp"
#include "base/sys/file.hpp"

namespace hearth::agent {

struct TokenCacheOptions {
  std::string directory;  ///< made 0700, its files 0600; empty = memory only
  Duration lifetime = std::chrono::minutes(30);
};

class TokenCache {
 public:
  TokenCache(TokenCacheOptions options, FileSystem& files, const Clock& clock, Logger& log)
      : options_(std::move(options)), files_(files), clock_(clock), log_(log) {}

  /// A token that holds for another minute at least: a kept one, or a new one. Throws as keystone_token does.
  [[nodiscard]] KeystoneToken get(HttpClient& http, const KeystoneCredentials& credentials, const Deadline& deadline);
  /// Sends a request made with a token. When a kept token is refused (401), once more with a new one.
  [[nodiscard]] HttpResponse send(HttpClient& http, const KeystoneCredentials& credentials, const Deadline& deadline,
                                  const std::function<HttpRequest(const KeystoneToken&)>& make);
  void forget(const KeystoneCredentials& credentials);

 private:
  struct Kept {
    KeystoneToken token;
    MonotonicTime until;  ///< the wall clock may jump
  };
  [[nodiscard]] const KeystoneToken* kept(const std::string& key);
  void load(const std::string& key);
  void save(const std::string& key, const KeystoneToken& token);
  [[nodiscard]] std::string path_of(const std::string& key) const;

  TokenCacheOptions options_;
  FileSystem& files_;
  const Clock& clock_;
  Logger& log_;
  std::map<std::string, Kept> tokens_;
};

/// "2026-01-02T03:04:05.000000Z", in UTC; nothing when it is no such text.
[[nodiscard]] std::optional<WallTime> parse_expiry(const std::string& text);

}  // namespace hearth::agent
