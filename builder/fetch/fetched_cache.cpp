#include "builder/fetch/fetched_cache.hpp"

#include <map>
#include <set>

#include "base/error.hpp"
#include "base/text.hpp"
#include "builder/fetch/known_answers.hpp"
#include "builder/fetch/object_store.hpp"

namespace hearth::builder::fetch {

namespace {

/// What went away is no answer any more.
void forget(const fs::path& directory, const std::vector<std::string>& removed) {
  if (removed.empty()) return;
  const std::set<std::string> gone(removed.begin(), removed.end());
  change_known_answers(directory, [&](Lock& known) {
    std::erase_if(known.fetches, [&](const auto& entry) { return gone.contains(entry.second.sha256); });
  });
}

}  // namespace

std::vector<FetchedObject> list_fetched(const fs::path& directory) {
  std::map<std::string, std::string> urls;
  for (const auto& [key, fetched] : known_answers(directory).fetches) urls[fetched.sha256] = key.url;
  std::vector<FetchedObject> objects;
  for (const BlobInfo& blob : objects_in(directory).list()) {
    const std::string sha256 = blob.digest();
    const auto found = urls.find(sha256);
    objects.push_back({sha256, blob.bytes, blob.last_used, found == urls.end() ? "" : found->second});
  }
  return objects;
}

std::vector<std::string> verify_fetched(const fs::path& directory) {
  std::vector<std::string> damaged = objects_in(directory).remove_damaged();
  forget(directory, damaged);
  return damaged;
}

std::vector<std::string> prune_fetched(const fs::path& directory, std::uint64_t limit) {
  if (objects_in(directory).list().empty()) return {};
  const ObjectStore store(directory);
  const std::optional<Fd> alone = store.claim();
  if (!alone) {
    throw Error(ErrorKind::io, cat("a build uses what was fetched in ", directory.string()))
        .hint("Wait until it has ended: it relies on what it has found there.");
  }
  std::vector<std::string> removed = store.blobs().prune(limit);
  forget(directory, removed);
  return removed;
}

}  // namespace hearth::builder::fetch
