#include "bootstrap/bundle/collect.hpp"

#include <boost/filesystem/directory.hpp>

#include <algorithm>
#include <map>
#include <set>

#include "base/error.hpp"
#include "base/sys/file.hpp"
#include "base/text.hpp"
#include "builder/fetch/git_answers.hpp"
#include "builder/fetch/object_store.hpp"

namespace hearth::bootstrap::bundle {

namespace {

constexpr std::size_t k_told = 10;

class Collection {
 public:
  /// A file, or a directory with everything in it, under `place`/its name.
  void add(const std::string& place, const fs::path& what) {
    const fs::path path = fs::canonical(existing(what));
    add_at(cat(place, "/", path.filename().string()), path);
  }
  /// The same, under the name `place`.
  void add_at(const std::string& place, const fs::path& what) {
    const fs::path path = fs::canonical(existing(what));
    fs::is_directory(path) ? add_tree(place, path) : add_file(place, path);
  }
  void add_tree(const std::string& place, const fs::path& root) {
    for (fs::recursive_directory_iterator at(root), end; at != end; ++at) {
      const fs::path& entry = at->path();
      if (fs::symlink_status(entry).type() == fs::directory_file) continue;
      add_file(cat(place, "/", entry.lexically_relative(root).string()), entry);
    }
  }
  void add_file(const std::string& place, const fs::path& file) {
    const std::string path = fs::path(place).lexically_normal().string();
    const auto [there, fresh] = files_.emplace(path, file);
    if (fresh || there->second == file) return;
    throw Error(ErrorKind::input,
                cat(file.string(), " and ", there->second.string(), " would both be ", path, " in the bundle"))
        .hint("Rename one of them.");
  }
  [[nodiscard]] std::vector<Source> sources() const {
    std::vector<Source> sources;
    for (const auto& [path, file] : files_) sources.push_back({path, file});
    return sources;
  }

 private:
  static const fs::path& existing(const fs::path& path) {
    if (!fs::exists(path)) throw Error(ErrorKind::not_found, cat("there is no ", path.string()));
    return path;
  }
  std::map<std::string, fs::path> files_;
};

/// The objects that a lock names, those of git servers from beside it; what is missing is reported once for all locks.
void add_objects(Collection& collection, const builder::fetch::Lock& lock, const fs::path& lock_file,
                 builder::fetch::ObjectStore& store, std::vector<std::string>& missing) {
  std::set<std::string> beside;
  using State = builder::fetch::GitAnswer::State;
  for (const auto& [file, state] : builder::fetch::git_answers(lock_file, lock)) {
    if (state == State::missing) continue;
    if (state == State::damaged)
      throw Error(ErrorKind::input, cat(file.string(), " is not the answer of a git server that its name says"))
          .hint("It was damaged: copy it again from where the lock was recorded, or record again (--record).");
    collection.add_file(cat("locks/", file.parent_path().filename().string(), "/", file.filename().string()), file);
    beside.insert(file.filename().string());
  }
  for (const auto& [key, fetched] : lock.fetches) {
    if (beside.count(fetched.sha256) > 0) continue;
    if (!store.open(fetched.sha256, fetched.size)) {
      missing.push_back(cat("  ", key.url, " (", lock_file.filename().string(), ")"));
      continue;
    }
    collection.add_file(cat("fetched/objects/", fetched.sha256.substr(0, 2), "/", fetched.sha256),
                        store.blobs().path(fetched.sha256));
  }
}

void add_locks(Collection& collection, const Contents& contents) {
  if (contents.locks.empty()) return;
  builder::fetch::ObjectStore store(contents.fetched);
  std::vector<std::string> missing;
  for (const fs::path& file : contents.locks) {
    const builder::fetch::Lock lock = builder::fetch::parse_lock(read_file(file), file.string()).value_or_throw();
    collection.add("locks", file);
    add_objects(collection, lock, file, store, missing);
  }
  if (missing.empty()) return;
  const std::size_t all = missing.size();
  missing.resize(std::min(all, k_told));
  throw Error(ErrorKind::input,
              cat(all, " recorded fetches are not in ", contents.fetched.string(), ":\n", join(missing, "\n")))
      .hint("Build with --locked here: that fetches what the lock names.");
}

/// The field's names for the program, where they are links beside it.
void add_names(Collection& collection, const fs::path& program) {
  for (const fs::directory_entry& entry : fs::directory_iterator(program.parent_path())) {
    if (!fs::is_symlink(fs::symlink_status(entry.path())) || fs::read_symlink(entry.path()) != program.filename())
      continue;
    collection.add_file(cat("hearth/bin/", entry.path().filename().string()), entry.path());
  }
}

}  // namespace

fs::path evidence_of(const fs::path& image) {
  for (fs::path stem = image; stem.has_extension();) {
    stem = stem.parent_path() / stem.stem();
    if (fs::is_directory(stem.string() + ".d")) return stem.string() + ".d";
  }
  return {};
}

std::vector<Source> collect(const Contents& contents) {
  Collection collection;
  for (const fs::path& image : contents.images) {
    collection.add("images", image);
    if (const fs::path evidence = evidence_of(fs::absolute(image)); !evidence.empty())
      collection.add("images", evidence);
  }
  for (const fs::path& tree : contents.elements) collection.add("elements", tree);
  for (const fs::path& each : contents.boot) collection.add("boot", each);
  for (const fs::path& each : contents.packages) collection.add("packages", each);
  for (const fs::path& each : contents.site) collection.add("site", each);
  for (const Source& each : contents.placed) collection.add_at(each.path, each.file);
  add_locks(collection, contents);
  return collection.sources();
}

std::vector<Source> collect_program(const builder::Installation& installation) {
  for (const fs::path& file : {installation.program, installation.agent_binary}) {
    if (!fs::exists(file)) {
      throw Error(ErrorKind::not_found, cat("there is no ", file.string()))
          .hint("Build both programs, hearth and hearth-agent, or leave them out: --without-hearth.");
    }
  }
  Collection collection;
  collection.add_file("hearth/bin/hearth", installation.program);
  collection.add_file("hearth/bin/hearth-agent", installation.agent_binary);
  add_names(collection, installation.program);
  collection.add_tree("hearth/share/hearth/elements", installation.elements);
  return collection.sources();
}

}  // namespace hearth::bootstrap::bundle
