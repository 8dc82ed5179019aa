#include "builder/fetch/recording.hpp"

#include <algorithm>

#include "base/error.hpp"
#include "base/text.hpp"
#include "builder/fetch/git_answers.hpp"
#include "builder/fetch/redactions.hpp"
#include "builder/fetch/variants.hpp"

namespace hearth::builder::fetch {

namespace {

constexpr int k_challenge = 401;
constexpr const char* k_where_git_is =
    "what it answered lies in hearth.lock.d (the lock's name and .d) where the lock was recorded: copy that to beside "
    "this lock";

const Fetched* find(const Lock& lock, const FetchKey& key) {
  const auto found = lock.fetches.find(key);
  return found == lock.fetches.end() ? nullptr : &found->second;
}

bool has_all(const ObjectStore& store, const Lock& lock) {
  return std::all_of(lock.fetches.begin(), lock.fetches.end(),
                     [&](const auto& entry) { return store.blobs().has(entry.second.sha256, entry.second.size); });
}

}  // namespace

bool is_immutable(const std::string& url) {
  if (url.find("/by-hash/") != std::string::npos) return true;
  if (url.find("/pool/") == std::string::npos) return false;
  return url.ends_with(".deb") || url.ends_with(".udeb") || url.ends_with(".ddeb");
}

bool is_lasting(int status) {
  if (status == 200 || status == 203 || status == 401 || status == 403 || status == 404 || status == 410) return true;
  return status >= 300 && status < 400 && status != 304;
}

Recording::Recording(FetchMode mode, Lock given, Lock known, std::shared_ptr<ObjectStore> store,
                     std::function<std::string()> step, OnAnswer on_answer)
    : mode_(mode),
      given_(std::move(given)),
      known_(std::move(known)),
      store_(std::move(store)),
      is_whole_(has_all(*store_, given_)),
      step_(std::move(step)),
      on_answer_(std::move(on_answer)) {}

/// With the mutex held.
void Recording::tell(const FetchKey& key, const std::string& sha256) {
  if (on_answer_) on_answer_(key, sha256);
}

std::optional<Fetched> Recording::foreseen(const FetchKey& key) const {
  const Fetched* const found = find(mode_ == FetchMode::record ? known_ : given_, key);
  return found == nullptr ? std::nullopt : std::optional(*found);
}

void Recording::taken_over(const FetchKey& key) {
  const std::scoped_lock lock(mutex_);
  if (const std::optional<Fetched> fetched = foreseen(key)) session_.fetches.emplace(key, *fetched);
}

void Recording::keep_only(const std::set<FetchKey>& used) {
  const std::scoped_lock lock(mutex_);
  std::erase_if(session_.fetches, [&](const auto& entry) { return used.count(entry.first) == 0; });
}

FetchKey Recording::variant(const FetchKey& plain, const HttpHeaders& asked) const {
  const std::scoped_lock lock(mutex_);
  const Fetched* first = find(session_, plain);
  if (first == nullptr && mode_ != FetchMode::record) first = find(given_, plain);
  const auto varied = first == nullptr ? std::nullopt : find_header(first->headers, k_vary);
  if (!varied) return plain;
  const std::string mine = values_like(*varied, asked);
  FetchKey key{cat(plain.method, ";vary=", mine), plain.url};
  const bool is_other = mine != *varied && (mode_ == FetchMode::record || find(given_, key) != nullptr);
  return is_other ? key : plain;
}

Decision Recording::decide(const FetchKey& key) {
  {
    std::unique_lock lock(mutex_);
    changed_.wait(lock, [&] { return in_flight_.count(key) == 0; });
    in_flight_.insert(key);
  }
  // Beyond this point the key is this thread's, until done_with(), which the caller's report on the network's answer
  // calls where it is asked.
  try {
    std::optional<Decision> decision = decide_by_lock(key);
    if (decision) {
      done_with(key);
      return std::move(*decision);
    }
  } catch (...) {
    done_with(key);
    throw;
  }
  FromNetwork ask;
  if (mode_ == FetchMode::locked) {
    if (const Fetched* const expected = find(given_, key)) ask.expected = *expected;
  } else if (const Fetched* const known = find(known_, key); known != nullptr && !asks_again(*known)) {
    ask.known = *known;
  }
  return ask;
}

/// Whoever was asked for a credential may have one the next time; and one that was handed out is needed where the
/// network is to be asked for more.
bool Recording::asks_again(const Fetched& before) const {
  switch (mode_) {
    case FetchMode::record: return before.status == k_challenge || is_redacted(before);
    case FetchMode::locked: return is_redacted(before) && !is_whole_;
    case FetchMode::offline: return false;
  }
  return false;
}

std::optional<Decision> Recording::stored(const FetchKey& key, const Fetched& fetched) {
  std::optional<Fd> body = store_->open(fetched.sha256, fetched.size);
  if (!body) return std::nullopt;
  const std::scoped_lock lock(mutex_);
  session_.fetches.emplace(key, fetched);
  tell(key, fetched.sha256);
  return Decision(FromStore{fetched, std::move(*body)});
}

std::optional<Decision> Recording::decide_by_lock(const FetchKey& key) {
  std::optional<Fetched> before;
  {
    const std::scoped_lock lock(mutex_);
    if (const Fetched* const found = find(session_, key)) before = *found;
  }
  if (before && !asks_again(*before)) {
    if (auto decision = stored(key, *before)) return decision;
  }
  if (mode_ == FetchMode::record) {
    const Fetched* const known = is_immutable(key.url) ? find(known_, key) : nullptr;
    return known != nullptr && known->status == 200 ? stored(key, *known) : std::nullopt;
  }
  const Fetched* const locked = find(given_, key);
  if (locked == nullptr) {
    const std::string why = "the lock does not name it";
    add_miss(key.url, why);
    const std::scoped_lock lock(mutex_);
    tell(key, k_not_locked);
    return Decision(Refused{why});
  }
  if (!asks_again(*locked)) {
    if (auto decision = stored(key, *locked)) return decision;
  }
  if (mode_ == FetchMode::locked) return std::nullopt;
  std::string why =
      cat("the lock names it, but its object sha256:", locked->sha256, " is not in ", store_->directory().string());
  if (asks_git(key)) why += cat("; ", k_where_git_is);
  add_miss(key.url, why);
  const std::scoped_lock lock(mutex_);
  tell(key, k_failed);
  return Decision(Refused{why});
}

void Recording::fetched(const FetchKey& key, const Fetched& fetched, const std::optional<Fetched>& expected) {
  if (expected && expected->sha256 != fetched.sha256) {
    std::string why = cat("it is sha256:", fetched.sha256, " (", fetched.size, " bytes, status ", fetched.status,
                          ") now; the lock says sha256:", expected->sha256, " (", expected->size, " bytes)");
    if (asks_git(key)) why += cat(". A git server packs the same commits anew each time; ", k_where_git_is);
    failed(key, why);
    throw Error(ErrorKind::input, cat(key.url, ": ", why));
  }
  {
    const std::scoped_lock lock(mutex_);
    // A challenge is only the answer until another comes.
    if (fetched.status != k_challenge || expected) session_.fetches[key] = expected.value_or(fetched);
    session_.fetches.emplace(key, fetched);
    tell(key, fetched.sha256);
  }
  done_with(key);
}

void Recording::unchanged(const FetchKey& key, const Fetched& known) {
  {
    const std::scoped_lock lock(mutex_);
    session_.fetches[key] = known;
    tell(key, known.sha256);
  }
  done_with(key);
}

void Recording::failed(const FetchKey& key, const std::string& why) {
  add_miss(key.url, why);
  {
    const std::scoped_lock lock(mutex_);
    tell(key, k_failed);
  }
  done_with(key);
}

void Recording::refused(const std::string& url, const std::string& why) {
  add_miss(url, why);
  if (mode_ != FetchMode::record) return;
  const std::scoped_lock lock(mutex_);
  tell({"CONNECT", url}, k_not_recorded);
}

void Recording::not_recorded(const std::string& url) {
  const std::string note = cat("not recorded: ", url, " (step ", step_(), ")");
  const std::scoped_lock lock(mutex_);
  tell({"CONNECT", url}, k_not_recorded);
  if (std::find(session_.notes.begin(), session_.notes.end(), note) == session_.notes.end()) {
    session_.notes.push_back(note);
  }
}

void Recording::done_with(const FetchKey& key) {
  {
    const std::scoped_lock lock(mutex_);
    in_flight_.erase(key);
  }
  changed_.notify_all();
}

void Recording::add_miss(const std::string& url, const std::string& why) {
  const std::string step = step_();
  const std::scoped_lock lock(mutex_);
  misses_.push_back({step, url, why});
}

std::vector<Miss> Recording::misses() const {
  const std::scoped_lock lock(mutex_);
  return misses_;
}

Lock Recording::result() const {
  const std::scoped_lock lock(mutex_);
  return session_;
}

}  // namespace hearth::builder::fetch
