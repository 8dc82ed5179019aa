// Recording: what the proxy may answer to a request, by the mode of the build: from what this build has already
// fetched, from the lock, from the store, or by asking the network. Knows no socket. Used by many threads.
//
// One URL has one answer in one build: a mirror that changes while the build runs can't make two steps disagree.
#pragma once

#include <condition_variable>
#include <functional>
#include <memory>
#include <mutex>
#include <optional>
#include <set>
#include <string>
#include <variant>
#include <vector>

#include "builder/fetch/fetch_plan.hpp"
#include "builder/fetch/lock_file.hpp"
#include "builder/fetch/object_store.hpp"

namespace hearth::builder::fetch {

/// Told of each piece that comes from the network: its size. Called by any thread.
using OnFetchedBytes = std::function<void(std::size_t)>;

/// A request that got no answer, and why.
struct Miss {
  std::string step;  ///< that was running
  std::string url;
  std::string why;
};

/// Answer with this object.
struct FromStore {
  Fetched fetched;
  Fd body;
};
/// Ask the network; then call fetched(), unchanged() or failed(): others may be waiting for the same URL.
struct FromNetwork {
  std::optional<Fetched> expected;  ///< what the lock says that must come
  std::optional<Fetched> known;     ///< what came another time: its validators make the request conditional
};
struct Refused {
  std::string why;
};
using Decision = std::variant<FromStore, FromNetwork, Refused>;

class Recording {
 public:
  /// Told of each request and the digest of what it was answered with; k_not_locked, k_failed or k_not_recorded where
  /// there is none. One at a time.
  using OnAnswer = std::function<void(const FetchKey&, const std::string& sha256)>;

  /// `given` is the lock; `known` what earlier builds got, for conditional requests. `step` names the running step.
  Recording(FetchMode mode, Lock given, Lock known, std::shared_ptr<ObjectStore> store,
            std::function<std::string()> step, OnAnswer on_answer = {});

  /// `plain`, or the key of another form of it where the server made that one for another kind of client. A replay
  /// takes what comes nearest.
  [[nodiscard]] FetchKey variant(const FetchKey& plain, const HttpHeaders& asked) const;
  /// Waits while another thread asks the network for the same.
  [[nodiscard]] Decision decide(const FetchKey& key);
  /// The network's answer, its body in the store. Throws Error(input) when it isn't what the lock says.
  void fetched(const FetchKey& key, const Fetched& fetched, const std::optional<Fetched>& expected);
  /// The network said that what was known still holds.
  void unchanged(const FetchKey& key, const Fetched& known);
  void failed(const FetchKey& key, const std::string& why);
  /// A request that is refused for another reason than the lock's.
  void refused(const std::string& url, const std::string& why);
  /// A server was spoken to unseen, which can't be replayed; noted in the lock.
  void not_recorded(const std::string& url);

  [[nodiscard]] FetchMode mode() const { return mode_; }
  [[nodiscard]] std::string step() const { return step_(); }
  [[nodiscard]] std::vector<Miss> misses() const;
  /// What this build fetched.
  [[nodiscard]] Lock result() const;
  /// What the lock says of it; of a recording, what earlier builds got.
  [[nodiscard]] std::optional<Fetched> foreseen(const FetchKey& key) const;
  /// Counts as fetched by this build what is foreseen: an earlier build's step did, and its result was taken.
  void taken_over(const FetchKey& key);
  /// Forgets answers that nothing of the image came of.
  void keep_only(const std::set<FetchKey>& used);

 private:
  [[nodiscard]] std::optional<Decision> decide_by_lock(const FetchKey& key);
  [[nodiscard]] std::optional<Decision> stored(const FetchKey& key, const Fetched& fetched);
  void done_with(const FetchKey& key);
  void add_miss(const std::string& url, const std::string& why);
  void tell(const FetchKey& key, const std::string& sha256);
  [[nodiscard]] bool asks_again(const Fetched& before) const;

  FetchMode mode_;
  Lock given_;
  Lock known_;
  std::shared_ptr<ObjectStore> store_;
  bool is_whole_;  ///< the store had all that was given when the build began
  std::function<std::string()> step_;
  OnAnswer on_answer_;

  mutable std::mutex mutex_;
  std::condition_variable changed_;
  std::set<FetchKey> in_flight_;
  Lock session_;
  std::vector<Miss> misses_;
};

/// In place of a digest: the lock does not name it; it does, but it could not be had; it passed unseen.
inline constexpr const char* k_not_locked = "not-locked";
inline constexpr const char* k_failed = "failed";
inline constexpr const char* k_not_recorded = "not-recorded";

/// Names whose content never changes: what Debian's archives have in pool/ and by-hash/.
[[nodiscard]] bool is_immutable(const std::string& url);
/// Answers worth keeping: not the server's passing troubles (5xx, 429), nor parts.
[[nodiscard]] bool is_lasting(int status);

}  // namespace hearth::builder::fetch
