// LOCK.d: what git servers answered, by digest, beside the lock that names it. Whatever else a lock names can be
// fetched again; but a git server packs the same commits in other bytes each time, and its branches move on. So these
// few answers are kept with the lock, and with them it holds from an empty store, whatever became of the server.
#pragma once

#include "builder/fetch/lock_file.hpp"
#include "builder/fetch/object_store.hpp"

namespace hearth::builder::fetch {

/// Whether a server of git's smart protocol (gitprotocol-http(5)) is asked.
[[nodiscard]] bool asks_git(const FetchKey& key);

[[nodiscard]] fs::path git_answers_directory(const fs::path& lock_file);

/// Puts into the store what it lacks of them. Throws Error(input) for one that is not what the lock says.
void take_git_answers(const fs::path& lock_file, const Lock& lock, ObjectStore& store);

struct GitAnswer {
  enum class State { sound, missing, damaged };
  fs::path file;
  State state;  ///< damaged: it is not what its name and the lock say
};
/// Each that the lock names, as it lies beside it; nothing is changed.
[[nodiscard]] std::vector<GitAnswer> git_answers(const fs::path& lock_file, const Lock& lock);

/// Throws Error where the lock, or they, can't be written: a recording is to know it before its first hook.
void require_place_for_lock(const fs::path& lock_file);

/// Keeps those of a lock that is about to be written, synced. Throws Error.
void keep_git_answers(const fs::path& lock_file, const Lock& lock, ObjectStore& store);

/// Removes what an earlier lock of the name had kept and this one doesn't name.
void remove_other_git_answers(const fs::path& lock_file, const Lock& lock);

}  // namespace hearth::builder::fetch
