#include "builder/target/settled_times.hpp"

#include <boost/filesystem/directory.hpp>

#include <fcntl.h>
#include <sys/stat.h>

#include <array>
#include <string>
#include <unordered_set>

#include "base/error.hpp"
#include "base/sys/tree_reader.hpp"
#include "base/text.hpp"

namespace hearth::builder {

namespace {

constexpr const char* k_database = "var/lib/dpkg";

/// Where a package's /lib/x lies: in usr/lib where /lib is a link to that (merged /usr).
std::string listed_place(const TreeReader& tree, const std::string& listed) {
  std::string path = listed.substr(1);
  const std::string top = path.substr(0, path.find('/'));
  const std::optional<std::string> link = top.size() == path.size() ? std::nullopt : tree.link_text(top);
  if (!link) return path;
  return (fs::path(*link).relative_path() / path.substr(top.size() + 1)).string();
}

std::unordered_set<std::string> packaged(const fs::path& root) {
  std::unordered_set<std::string> paths;
  const TreeReader tree(root);
  const fs::path lists = fs::path(k_database) / "info";
  for (const std::string& name : tree.list(lists)) {
    if (fs::path(name).extension() != ".list") continue;
    for (const std::string& line : split_lines(tree.read(lists / name).value_or(""))) {
      if (line.size() > 1 && line.front() == '/') paths.insert(listed_place(tree, line));
    }
  }
  return paths;
}

void set_time(const fs::path& path, std::int64_t epoch) {
  struct stat status {};
  if (::lstat(path.c_str(), &status) != 0) throw Error::from_errno("reading", path.string());
  if (status.st_mtim.tv_sec >= epoch) return;
  const std::array<timespec, 2> times = {timespec{0, UTIME_OMIT}, timespec{epoch, 0}};
  if (::utimensat(AT_FDCWD, path.c_str(), times.data(), AT_SYMLINK_NOFOLLOW) != 0) {
    throw Error::from_errno("setting the time of", path.string());
  }
}

}  // namespace

void settle_times(const fs::path& root, std::int64_t epoch) {
  const std::unordered_set<std::string> known = packaged(root);
  if (known.empty()) return;
  fs::recursive_directory_iterator at(root);
  for (const fs::recursive_directory_iterator end; at != end; ++at) {
    const std::string path = at->path().lexically_relative(root).string();
    if (path == k_database) {
      at.disable_recursion_pending();
    } else if (known.count(path) == 0) {
      set_time(at->path(), epoch);
    }
  }
}

}  // namespace hearth::builder
