#include "builder/fetch/fetched_cache.hpp"

#include <sys/stat.h>

#include <algorithm>
#include <set>

#include "base/error.hpp"
#include "base/sys/file.hpp"
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
  const RealFileSystem files;
  for (const std::string& part : files.list(directory / "objects")) {
    for (const std::string& name : files.list(directory / "objects" / part)) {
      struct stat status {};
      if (::lstat((directory / "objects" / part / name).c_str(), &status) != 0 || !S_ISREG(status.st_mode)) continue;
      const auto found = urls.find(name);
      objects.push_back({name, static_cast<std::uint64_t>(status.st_size), status.st_mtim.tv_sec,
                         found == urls.end() ? "" : found->second});
    }
  }
  std::stable_sort(objects.begin(), objects.end(),
                   [](const FetchedObject& a, const FetchedObject& b) { return a.last_used < b.last_used; });
  return objects;
}

std::vector<std::string> verify_fetched(const fs::path& directory) {
  std::vector<std::string> damaged;
  const std::vector<FetchedObject> objects = list_fetched(directory);
  if (objects.empty()) return damaged;
  ObjectStore store(directory);
  for (const FetchedObject& object : objects) {
    if (!store.verify(object.sha256, object.bytes)) damaged.push_back(object.sha256);
  }
  forget(directory, damaged);
  return damaged;
}

std::vector<std::string> prune_fetched(const fs::path& directory, std::uint64_t limit) {
  std::vector<std::string> removed;
  const std::vector<FetchedObject> objects = list_fetched(directory);
  if (objects.empty()) return removed;
  const ObjectStore store(directory);
  const std::optional<Fd> alone = store.claim();
  if (!alone) {
    throw Error(ErrorKind::io, cat("a build uses what was fetched in ", directory.string()))
        .hint("Wait until it has ended: it relies on what it has found there.");
  }
  std::uint64_t total = 0;
  for (const FetchedObject& object : objects) total += object.bytes;
  for (const FetchedObject& object : objects) {
    if (total <= limit) break;
    store.remove(object.sha256);
    total -= object.bytes;
    removed.push_back(object.sha256);
  }
  forget(directory, removed);
  return removed;
}

}  // namespace hearth::builder::fetch
