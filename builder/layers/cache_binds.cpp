#include "builder/layers/cache_binds.hpp"

#include <sys/mount.h>
#include <sys/stat.h>
#include <sys/statvfs.h>

#include "base/error.hpp"
#include "base/sys/mount.hpp"
#include "base/text.hpp"

namespace hearth::builder {

namespace {

/// The path of `path` below `directory`, without a slash before it; nothing where it is not there.
std::optional<std::string> path_below(const fs::path& directory, const std::string& path) {
  if (path == directory.string()) return "";
  const std::string prefix = directory.string() + "/";
  return path.starts_with(prefix) ? std::optional(path.substr(prefix.size())) : std::nullopt;
}

/// The mount's directory may be hidden at its other place by a later mount.
bool is_same_directory(const std::string& a, const std::string& b) {
  struct stat one {};
  struct stat other {};
  return ::stat(a.c_str(), &one) == 0 && ::stat(b.c_str(), &other) == 0 && S_ISDIR(one.st_mode) &&
         one.st_dev == other.st_dev && one.st_ino == other.st_ino;
}

}  // namespace

bool is_place_of_cache_bind(std::string_view below_target) {
  const std::vector<std::string> parts = split(below_target, '/');
  for (const std::string& part : parts) {
    if (part.empty() || part == "." || part == "..") return false;
  }
  return (parts.size() > 1 && parts.front() == "tmp") ||
         (parts.size() > 2 && parts.front() == "var" && parts[1] == "cache");
}

std::optional<CacheBind> cache_bind(std::string_view mountinfo, const fs::path& point, const fs::path& cache,
                                    const fs::path& target) {
  const std::optional<std::string> to = path_below(target, point.string());
  if (!to || !is_place_of_cache_bind(*to)) return std::nullopt;
  for (const std::string& source : other_paths(mountinfo, point.string())) {
    const std::optional<std::string> from = path_below(cache, source);
    if (!from || !is_same_directory(source, point.string())) continue;
    struct statvfs status {};
    if (::statvfs(point.c_str(), &status) != 0) return std::nullopt;
    return CacheBind{*from, *to, (status.f_flag & ST_RDONLY) != 0};
  }
  return std::nullopt;
}

void unbind(const std::vector<CacheBind>& binds, const fs::path& target) {
  for (auto bind = binds.rbegin(); bind != binds.rend(); ++bind)
    ::umount2((target / bind->to).c_str(), MNT_DETACH | UMOUNT_NOFOLLOW);
}

void bind_again(const std::vector<CacheBind>& binds, const fs::path& cache, const fs::path& target) {
  for (const CacheBind& bind : binds) {
    const fs::path place = target / bind.to;
    boost::system::error_code failed;
    if (fs::canonical(place, failed) != fs::canonical(target) / bind.to) {
      throw Error(ErrorKind::input, cat(place.string(), ", where a hook of a kept layer had bound ",
                                        (cache / bind.from).string(), ", is no directory of the target any more"))
          .hint("Build with --fresh, and its hooks run again.");
    }
    const fs::path source = bind.from.empty() ? cache : cache / bind.from;
    fs::create_directories(source);
    bind_mount(source, place, bind.is_read_only ? Access::read_only : Access::read_write);
  }
}

}  // namespace hearth::builder
