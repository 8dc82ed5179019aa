#include "builder/hooks/copied_hooks.hpp"

#include <fcntl.h>
#include <sys/sendfile.h>
#include <sys/stat.h>
#include <sys/xattr.h>
#include <unistd.h>

#include <array>

#include "base/error.hpp"
#include "base/sys/fd.hpp"

namespace hearth::builder {

namespace {

bool copy_bytes(const Fd& from, const Fd& to) {
  constexpr std::size_t at_once = std::size_t{1} << 20U;
  while (true) {
    const ssize_t copied = ::sendfile(to.get(), from.get(), nullptr, at_once);
    if (copied < 0 && errno == EINTR) continue;
    if (copied <= 0) return copied == 0;
  }
}

/// Owner, mode and times.
bool take_over(const Fd& copy, const struct stat& look) {
  const std::array<timespec, 2> times = {look.st_atim, look.st_mtim};
  return ::fchown(copy.get(), look.st_uid, look.st_gid) == 0 && ::fchmod(copy.get(), look.st_mode & 07777U) == 0 &&
         ::futimens(copy.get(), times.data()) == 0;
}

/// A plain file, as nearly all are, copied as cp does: to start one for each directory took longer than all else.
/// False, and nothing left, for anything else, and for what can't be copied: that is for cp, which says why.
bool copy_plain(const fs::path& file, const fs::path& directory, bool follows_links) try {
  const Fd from = Fd::open(file.string(), O_RDONLY | O_NONBLOCK | (follows_links ? 0 : O_NOFOLLOW));
  struct stat look {};
  if (::fstat(from.get(), &look) != 0 || !S_ISREG(look.st_mode) || look.st_nlink != 1) return false;
  if (::flistxattr(from.get(), nullptr, 0) != 0) return false;  // some, or a file system that tells none
  const fs::path place = directory / file.filename();
  const Fd to = Fd::open(place.string(), O_WRONLY | O_CREAT | O_EXCL, 0600);
  if (copy_bytes(from, to) && take_over(to, look)) return true;
  fs::remove(place);
  return false;
} catch (const Error&) {
  return false;
}

}  // namespace

void copy_hooks(const HookTree& hooks, CommandRunner& runner, const fs::path& destination) try {
  for (const auto& [name, entries] : hooks.directories()) {
    fs::create_directories(destination / name);
    std::vector<std::string> argv = {"cp", "-a", "-t", (destination / name).string(), "--"};
    const std::size_t fixed_words = argv.size();
    for (const auto& [entry_name, entry] : entries) {
      if (!copy_plain(entry.path, destination / name, false)) argv.push_back(entry.path.string());
    }
    if (argv.size() > fixed_words) run_checked(runner, Command{.argv = argv});
  }
  std::map<std::string, std::string> top;  // of one name the last: cp takes each name once
  for (const fs::path& file : hooks.top_files()) top[file.filename().string()] = file.string();
  std::vector<std::string> argv = {"cp", "-aL", "-t", destination.string(), "--"};
  const std::size_t fixed_words = argv.size();
  for (const auto& [name, path] : top) {
    if (!copy_plain(path, destination, true)) argv.push_back(path);
  }
  if (argv.size() > fixed_words) run_checked(runner, Command{.argv = argv});
} catch (Error& error) {
  throw while_reading_elements(error, "copying the elements' hooks");
}

}  // namespace hearth::builder
