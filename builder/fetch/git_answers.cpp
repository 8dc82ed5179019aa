#include "builder/fetch/git_answers.hpp"

#include <unistd.h>

#include <algorithm>
#include <functional>
#include <map>
#include <set>

#include "base/error.hpp"
#include "base/hex.hpp"
#include "base/sys/file.hpp"
#include "base/sys/file_digest.hpp"
#include "base/sys/mount.hpp"
#include "base/text.hpp"

namespace hearth::builder::fetch {

namespace {

constexpr std::size_t k_answer_piece = std::size_t{256} << 10U;
constexpr std::size_t k_digest_digits = 64;

void for_each_piece(const Fd& file, const fs::path& name, const std::function<void(std::string_view)>& take) {
  std::string piece(k_answer_piece, '\0');
  while (true) {
    const ssize_t got = ::read(file.get(), piece.data(), piece.size());
    if (got < 0 && errno == EINTR) continue;
    if (got < 0) throw Error::from_errno("reading", name.string());
    if (got == 0) return;
    take(std::string_view(piece).substr(0, static_cast<std::size_t>(got)));
  }
}

std::set<std::string> digests_of_git(const Lock& lock) {
  std::set<std::string> digests;
  for (const auto& [key, fetched] : lock.fetches) {
    if (asks_git(key)) digests.insert(fetched.sha256);
  }
  return digests;
}

/// One of another size isn't read: it may have no end.
bool is_answer(const fs::path& file, const FileStatus& status, const Fetched& fetched) {
  const bool is_file = status.type == FileStatus::Type::regular;
  return is_file && status.size == fetched.size && digest_file(file).sha256 == fetched.sha256;
}

void take_one(const fs::path& file, const FileStatus& status, const Fetched& fetched, ObjectStore& store) {
  if (!is_answer(file, status, fetched)) {
    throw Error(ErrorKind::input,
                cat(file.string(), " is not the answer of a git server that its name says, and the lock"))
        .hint("It was damaged: copy it again from where the lock was recorded, or record again (--record).");
  }
  BlobStore::Writer object = store.blobs().begin();
  for_each_piece(open_regular(file), file, [&](std::string_view piece) { object.write(piece); });
  (void)object.commit();
}

/// A lock is written when all else is done: that it can be is to be known before.
void require_place_for_file(const fs::path& lock) {
  const fs::path parent = lock.parent_path();
  const Error error(ErrorKind::input, cat("the lock ", lock.string(), " can't be written"));
  if (fs::is_directory(lock)) throw Error(error).hint("It is a directory; --lock FILE names another place.");
  if (!fs::is_directory(parent)) throw Error(error).hint(cat("There is no directory ", parent.string(), "; make it."));
  if (fs::exists(lock) && ::access(lock.c_str(), W_OK) != 0)
    throw Error(error).hint("The file there is not to be written to; let it be, or give another place by --lock FILE.");
  const std::vector<std::string> mounted =
      mount_points_below(read_file("/proc/self/mountinfo"), fs::canonical(parent).string());
  if (std::count(mounted.begin(), mounted.end(), (fs::canonical(parent) / lock.filename()).string()) > 0)
    throw Error(error).hint("Something is mounted there, which can't be replaced; mount the directory that it is in.");
  if (::access(parent.c_str(), W_OK) != 0)
    throw Error(error).hint(cat("This user may not write to ", parent.string(), "."));
  try {
    (void)AtomicFile::create(lock);  // some directories only look writable; it goes away unnamed
  } catch (Error& failure) {
    throw failure.during(cat("looking whether the lock ", lock.string(), " can be written"));
  }
}

void require_place_for_answers(const fs::path& lock_file) {
  const fs::path directory = git_answers_directory(lock_file);
  const std::optional<FileStatus> status = RealFileSystem().status(directory);
  if (!status) return;
  constexpr const char* hint =
      "What git servers answer to a recording is kept there, beside the lock: remove it, or give another --lock.";
  if (status->type != FileStatus::Type::directory)
    throw Error(ErrorKind::input, cat(directory.string(), " is no directory")).hint(hint);
  if (::access(directory.c_str(), W_OK | X_OK) != 0)
    throw Error::from_errno("writing to", directory.string()).hint(hint);
}

}  // namespace

bool asks_git(const FetchKey& key) {
  return key.url.ends_with("/git-upload-pack") || key.url.ends_with("/info/refs?service=git-upload-pack");
}

fs::path git_answers_directory(const fs::path& lock_file) { return lock_file.string() + ".d"; }

void take_git_answers(const fs::path& lock_file, const Lock& lock, ObjectStore& store) {
  for (const auto& [key, fetched] : lock.fetches) {
    if (!asks_git(key) || store.open(fetched.sha256, fetched.size)) continue;
    const fs::path file = git_answers_directory(lock_file) / fetched.sha256;
    if (const auto status = RealFileSystem().status(file)) take_one(file, *status, fetched, store);
  }
}

std::vector<GitAnswer> git_answers(const fs::path& lock_file, const Lock& lock) {
  std::map<fs::path, GitAnswer::State> states;
  for (const auto& [key, fetched] : lock.fetches) {
    const fs::path file = git_answers_directory(lock_file) / fetched.sha256;
    if (!asks_git(key) || states.count(file) > 0) continue;
    const auto status = RealFileSystem().status(file);
    states[file] = !status                             ? GitAnswer::State::missing
                   : is_answer(file, *status, fetched) ? GitAnswer::State::sound
                                                       : GitAnswer::State::damaged;
  }
  std::vector<GitAnswer> answers;
  for (const auto& [file, state] : states) answers.push_back({file, state});
  return answers;
}

void require_place_for_lock(const fs::path& lock_file) {
  require_place_for_file(lock_file);
  require_place_for_answers(lock_file);
}

void keep_git_answers(const fs::path& lock_file, const Lock& lock, ObjectStore& store) {
  const fs::path directory = git_answers_directory(lock_file);
  for (const auto& [key, fetched] : lock.fetches) {
    const fs::path file = directory / fetched.sha256;
    if (!asks_git(key)) continue;
    const std::optional<Fd> object = store.open(fetched.sha256, fetched.size);
    if (!object) continue;
    RealFileSystem().make_directories(directory, 0777);
    AtomicFile kept = AtomicFile::create(file);
    for_each_piece(*object, file, [&](std::string_view piece) { write_all(kept.fd(), piece, file.string()); });
    kept.commit();
  }
}

void remove_other_git_answers(const fs::path& lock_file, const Lock& lock) {
  const fs::path directory = git_answers_directory(lock_file);
  if (!fs::is_directory(directory)) return;
  const std::set<std::string> named = digests_of_git(lock);
  for (const std::string& name : RealFileSystem().list(directory)) {
    if (is_hex(name, k_digest_digits) && named.count(name) == 0) RealFileSystem().remove(directory / name);
  }
  ::rmdir(directory.c_str());  // it stays where it holds something
}

}  // namespace hearth::builder::fetch
