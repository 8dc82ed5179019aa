#include "builder/evidence/evidence_room.hpp"

#include <fcntl.h>
#include <sys/stat.h>

#include <algorithm>
#include <set>

#include "base/error.hpp"
#include "base/sys/file.hpp"
#include "base/text.hpp"
#include "builder/evidence/own_names.hpp"

namespace hearth::builder {

namespace {

constexpr std::uint64_t k_least_room = 64UL * 1024;  // small files, by whole blocks
constexpr std::uint64_t k_line_of_tree = 256;        // a file's in tree.tsv and in the lock's
constexpr std::uint64_t k_share_of_packages = 16;    // of what is said of packages, for each file

/// Written before, or bit by bit.
const std::set<std::string> k_not_replaced = {k_name_lock, k_build_log, k_clusters_file};

/// An empty descriptor where the file system has no files without names.
Fd make_nameless_file(const fs::path& directory) {
  try {
    return Fd::open(directory.string(), O_TMPFILE | O_WRONLY | O_CLOEXEC, 0600);
  } catch (const Error& error) {
    if (error.system_error() == EOPNOTSUPP || error.system_error() == EISDIR) return {};
    throw;
  }
}

}  // namespace

std::uint64_t evidence_bytes(const fs::path& directory, std::uint64_t files_of_tree, bool is_recorded) {
  std::uint64_t earlier = 0;
  const auto add = [&](const fs::path& file) {
    struct stat status {};
    if (::lstat(file.c_str(), &status) == 0) earlier += static_cast<std::uint64_t>(status.st_size);
  };
  for (const char* name : k_own_names) {
    if (k_not_replaced.count(name) == 0) add(directory / name);
  }
  for (const std::string& name : RealFileSystem().list(directory / k_lock_answers))
    add(directory / k_lock_answers / name);
  // Each file is written anew beside the earlier one, and may have grown.
  return k_least_room + std::max(earlier * 5 / 4, files_of_tree * (is_recorded ? k_line_of_tree : k_share_of_packages));
}

Fd reserve_room(const fs::path& directory, std::uint64_t bytes, const std::string& outputs) {
  Fd room = make_nameless_file(directory);
  if (!room) return {};
  const int failed = ::posix_fallocate(room.get(), 0, static_cast<off_t>(bytes));
  if (failed != ENOSPC && failed != EDQUOT) return room;
  throw Error(Error::from_errno(cat("reserving ", human_bytes(bytes), " for the evidence of ", outputs, " in"),
                                directory.string(), failed)
                  .hint("Make room there. The earlier outputs and their evidence are as they were."));
}

}  // namespace hearth::builder
