#include "base/sys/mount.hpp"

#include <fcntl.h>
#include <linux/mount.h>
#include <sys/mount.h>
#include <sys/syscall.h>
#include <unistd.h>

#include <algorithm>
#include <optional>

#include "base/error.hpp"
#include "base/sys/file.hpp"
#include "base/text.hpp"

namespace hearth {

namespace {

constexpr std::size_t k_device_field = 2;
constexpr std::size_t k_root_field = 3;
constexpr std::size_t k_mount_point_field = 4;

/// The path of `path` behind `directory`, with its slash; nothing where it is not below.
std::optional<std::string> below(const std::string& directory, const std::string& path) {
  const std::string_view base = directory == "/" ? std::string_view() : std::string_view(directory);
  if (!path.starts_with(base) || (path.size() > base.size() && path[base.size()] != '/')) return std::nullopt;
  return path.substr(base.size());
}

struct MountLine {
  std::string device;
  std::string root;
  std::string point;
};

std::vector<MountLine> mount_lines(std::string_view mountinfo) {
  std::vector<MountLine> mounts;
  for (const std::string& line : split_lines(mountinfo)) {
    const std::vector<std::string> fields = split(line, ' ');
    if (fields.size() <= k_mount_point_field) continue;
    mounts.push_back(
        {fields[k_device_field], without_octal(fields[k_root_field]), without_octal(fields[k_mount_point_field])});
  }
  return mounts;
}

}  // namespace

std::string without_octal(std::string_view text) {
  const auto is_octal = [&text](std::size_t at) { return at < text.size() && text[at] >= '0' && text[at] <= '7'; };
  std::string out;
  for (std::size_t i = 0; i < text.size(); ++i) {
    if (text[i] == '\\' && is_octal(i + 1) && is_octal(i + 2) && is_octal(i + 3)) {
      out.push_back(static_cast<char>((text[i + 1] - '0') * 64 + (text[i + 2] - '0') * 8 + (text[i + 3] - '0')));
      i += 3;
    } else {
      out.push_back(text[i]);
    }
  }
  return out;
}

void bind_mount(const fs::path& source, const fs::path& target, Access access) {
  if (::mount(source.c_str(), target.c_str(), nullptr, MS_BIND | MS_REC, nullptr) != 0) {
    throw Error::from_errno(cat("binding ", source.string(), " to"), target.string());
  }
  if (access == Access::read_write) return;
  mount_attr attributes{};
  attributes.attr_set = MOUNT_ATTR_RDONLY;
  if (::syscall(SYS_mount_setattr, AT_FDCWD, target.c_str(), AT_RECURSIVE, &attributes, sizeof attributes) != 0) {
    throw Error::from_errno("making read-only", target.string());
  }
}

Fd clone_mount(const fs::path& place) {
  constexpr unsigned flags = OPEN_TREE_CLONE | OPEN_TREE_CLOEXEC | AT_NO_AUTOMOUNT | AT_SYMLINK_NOFOLLOW;
  Fd mount(static_cast<int>(::syscall(SYS_open_tree, AT_FDCWD, place.c_str(), flags)));
  mount_attr attributes{};
  attributes.propagation = MS_PRIVATE;
  if (mount && ::syscall(SYS_mount_setattr, mount.get(), "", AT_EMPTY_PATH, &attributes, sizeof attributes) != 0)
    throw Error::from_errno("making private", place.string());
  return mount;
}

bool shift_ids(const Fd& mount, const Fd& user_namespace) {
  mount_attr attributes{};
  attributes.attr_set = MOUNT_ATTR_IDMAP;
  attributes.userns_fd = static_cast<std::uint64_t>(user_namespace.get());
  return ::syscall(SYS_mount_setattr, mount.get(), "", AT_EMPTY_PATH, &attributes, sizeof attributes) == 0;
}

void attach_mount(const Fd& mount, const fs::path& place) {
  if (::syscall(SYS_move_mount, mount.get(), "", AT_FDCWD, place.c_str(), MOVE_MOUNT_F_EMPTY_PATH) != 0)
    throw Error::from_errno("mounting on", place.string());
}

void mount_file_system(const std::string& type, const std::string& source, const fs::path& target, unsigned long flags,
                       const std::string& options) {
  if (::mount(source.c_str(), target.c_str(), type.c_str(), flags, options.c_str()) != 0) {
    throw Error::from_errno(cat("mounting ", type, " on"), target.string());
  }
}

std::vector<std::string> mount_points_below(std::string_view mountinfo, const std::string& directory) {
  std::vector<std::string> points;
  const std::string prefix = directory + "/";
  for (MountLine& mount : mount_lines(mountinfo)) {
    if (mount.point.starts_with(prefix)) points.push_back(std::move(mount.point));
  }
  std::reverse(points.begin(), points.end());  // later mounts lie on or below earlier ones
  return points;
}

std::vector<std::string> other_paths(std::string_view mountinfo, const std::string& path) {
  const std::vector<MountLine> mounts = mount_lines(mountinfo);
  const MountLine* own = nullptr;  // the deepest, and of those at one place the last
  for (const MountLine& mount : mounts) {
    if (below(mount.point, path) && (own == nullptr || mount.point.size() >= own->point.size())) own = &mount;
  }
  if (own == nullptr) return {};
  const std::string in_file_system = cat(own->root == "/" ? "" : own->root, below(own->point, path).value_or(""));
  std::vector<std::string> paths;
  for (const MountLine& mount : mounts) {
    const std::optional<std::string> rest = below(mount.root, in_file_system);
    if (mount.device != own->device || !rest) continue;
    std::string other = cat(mount.point == "/" && !rest->empty() ? "" : mount.point, *rest);
    if (other != path) paths.push_back(std::move(other));
  }
  return paths;
}

void unmount_below(const fs::path& directory) {
  for (const std::string& point : mount_points_below(read_file("/proc/self/mountinfo"), directory.string())) {
    ::umount2(point.c_str(), MNT_DETACH | UMOUNT_NOFOLLOW);
  }
}

}  // namespace hearth
