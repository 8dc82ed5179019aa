// What is known of package repositories: the digest of each Release file, and when it was last looked at. A repository
// that was looked at lately counts as unchanged, so that building again asks nobody. Branches of git and documents are
// asked for each time. What is asked for is noted by hooks, so it is theirs to say: nothing is asked that they could
// not reach themselves, and git is run where no repository's configuration is read.
#pragma once

#include <functional>
#include <map>
#include <optional>
#include <string>

#include "base/clock.hpp"
#include "base/net/http.hpp"
#include "base/path.hpp"
#include "base/sys/process.hpp"

namespace hearth::builder {

/// Whether hooks reach the server that a URL names.
using ReachCheck = std::function<bool(const std::string& url)>;

/// The user info that a variable's URL has for the same server and a place above this one; mostly empty.
[[nodiscard]] std::string known_user_info(const Url& url, const Environment& environment);

class RepositoryStates {
 public:
  /// `age`: for how long the look of another process is good, zero = it never is; one's own is for one's whole life, so
  /// that a build sees a repository in one state. None = ask nobody. URLs are without credentials, since they are kept
  /// in files; where a variable of `environment` has a URL with some for the same place, it is asked with them.
  /// `client` refuses what hooks don't reach; for git, which connects by itself, `reach` tells.
  RepositoryStates(fs::path file, HttpClient& client, const Clock& clock, std::optional<Duration> age,
                   Environment environment = {}, ReachCheck reach = {});

  /// The digest of the Release file at `url`: as it was seen lately, else as it is now; what is known when the
  /// repository does not answer. Nothing for one never seen that does not answer. Of "git URL REF" the commit, "gone"
  /// where the server has no such name. Of "url URL" what its server says of the document (ETag, Last-Modified).
  [[nodiscard]] std::optional<std::string> digest(const std::string& url);
  /// A build has taken packages by this Release file.
  void seen(const std::string& url, const std::string& digest);

 private:
  struct State {
    std::string digest;
    std::int64_t looked = 0;  ///< seconds since the epoch
    bool own = false;         ///< looked at by this object
  };
  [[nodiscard]] std::int64_t now() const;
  [[nodiscard]] std::optional<std::string> git_commit(const std::string& place) const;
  [[nodiscard]] std::optional<std::string> validators(const std::string& document) const;
  [[nodiscard]] std::optional<std::string> fetch(const std::string& url) const;
  void save() const;

  fs::path file_;
  HttpClient& client_;
  const Clock& clock_;
  std::optional<Duration> age_;
  Environment environment_;
  ReachCheck reach_;
  std::map<std::string, State> states_;
};

}  // namespace hearth::builder
