#include "builder/sandbox/shifted_host.hpp"

#include <fcntl.h>
#include <linux/mount.h>
#include <sys/mount.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <sys/sysmacros.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <set>
#include <utility>

#include "base/error.hpp"
#include "base/sys/file.hpp"
#include "base/sys/mount.hpp"
#include "base/text.hpp"

namespace hearth::builder {

namespace {

/// What the machine keeps for root, and what is the kernel's or a service's.
const std::set<std::string> k_unshifted = {"dev", "etc", "proc", "run", "sys", "var"};
/// But for these: what is everybody's, and where tools of containers that hooks call look (skopeo, podman).
const std::vector<fs::path> k_shifted_all_the_same = {"/var/tmp", "/var/lib/containers"};
constexpr const char* k_kvm = "kvm";

bool is_at_or_below(const fs::path& directory, const fs::path& path) {
  return path == directory || path.string().starts_with(cat(directory.string(), "/"));
}

/// Where to shift so that `path` can be reached: a directory on the way that only root may enter comes with it.
fs::path top_for(const fs::path& path) {
  fs::path top;
  for (const fs::path& part : path) {
    top /= part;
    struct stat status {};
    const bool is_there = ::lstat(top.c_str(), &status) == 0;
    if (!is_there || (S_ISDIR(status.st_mode) && (status.st_mode & S_IXOTH) == 0)) return top;
  }
  return path;
}

std::vector<fs::path> places_to_shift(const std::vector<fs::path>& needed) {
  std::set<fs::path> found(k_shifted_all_the_same.begin(), k_shifted_all_the_same.end());
  for (const std::string& name : RealFileSystem().list("/")) {
    const fs::path path = fs::path("/") / name;
    if (k_unshifted.count(name) == 0 && fs::is_directory(fs::symlink_status(path))) found.insert(path);
  }
  for (const fs::path& path : needed) {
    if (keeps_machines_ids(path)) found.insert(top_for(path));
  }
  std::vector<fs::path> outermost;
  for (const fs::path& path : found) {
    if (std::none_of(outermost.begin(), outermost.end(),
                     [&](const fs::path& top) { return is_at_or_below(top, path); }))
      outermost.push_back(path);
  }
  return outermost;
}

/// The machine's own node is on a file system that can't shift ids. An empty descriptor where there is none to show.
Fd make_devices(const IdMaps& maps) {
  struct stat kvm {};
  if (::stat(cat("/dev/", k_kvm).c_str(), &kvm) != 0 || !S_ISCHR(kvm.st_mode)) return {};
  const Fd context(static_cast<int>(::syscall(SYS_fsopen, "tmpfs", FSOPEN_CLOEXEC)));
  if (!context || ::syscall(SYS_fsconfig, context.get(), FSCONFIG_CMD_CREATE, nullptr, nullptr, 0) != 0) return {};
  Fd mount(static_cast<int>(::syscall(SYS_fsmount, context.get(), FSMOUNT_CLOEXEC, 0)));
  const bool is_made = mount && ::mknodat(mount.get(), k_kvm, S_IFCHR | 0660, kvm.st_rdev) == 0 &&
                       ::fchownat(mount.get(), k_kvm, maps.uids.front().outside, maps.gids.front().outside, 0) == 0;
  return is_made ? std::move(mount) : Fd();  // a container may not let us; its guests are emulated
}

bool has_id(const std::vector<IdMap>& maps, std::uint32_t id) {
  return std::any_of(maps.begin(), maps.end(),
                     [&](const IdMap& map) { return id >= map.inside && id - map.inside < map.count; });
}

}  // namespace

std::string owner_outside(const fs::path& directory, const IdMaps& maps) {
  struct stat status {};
  constexpr mode_t open_to_all = S_IWOTH | S_IXOTH;
  if (::stat(directory.c_str(), &status) != 0 || (status.st_mode & open_to_all) == open_to_all) return "";
  if (!has_id(maps.uids, status.st_uid)) return cat("user ", status.st_uid);
  return has_id(maps.gids, status.st_gid) ? "" : cat("group ", status.st_gid);
}

bool keeps_machines_ids(const fs::path& path) {
  const fs::path relative = path.relative_path();
  const bool is_kept = !relative.empty() && k_unshifted.count(relative.begin()->string()) > 0;
  return is_kept && std::none_of(k_shifted_all_the_same.begin(), k_shifted_all_the_same.end(),
                                 [&](const fs::path& shifted) { return is_at_or_below(shifted, path); });
}

void ShiftedHost::shift_all_below(const fs::path& top, const std::string& mountinfo, const Fd& user_namespace) {
  std::vector<std::string> points = mount_points_below(mountinfo, top.string());
  points.push_back(top.string());
  std::sort(points.begin(), points.end());  // a mount that was moved is older than what it lies on
  points.erase(std::unique(points.begin(), points.end()), points.end());  // of several at one place the last is seen
  for (const std::string& point : points) {
    Fd mount = clone_mount(point);
    if (!mount) continue;
    const bool is_shifted = shift_ids(mount, user_namespace);
    mounts_.push_back({point, std::move(mount), is_shifted});
  }
}

bool ShiftedHost::is_shifted(const fs::path& path) const {
  const auto found = std::find_if(mounts_.rbegin(), mounts_.rend(),
                                  [&](const Mount& mount) { return is_at_or_below(mount.place, path); });
  return found != mounts_.rend() && found->is_shifted;
}

bool ShiftedHost::shows_nobody(const fs::path& path) const { return why_not_.empty() && !is_shifted(path); }

ShiftedHost ShiftedHost::create(const std::vector<fs::path>& needed) {
  if (::geteuid() != 0) return ShiftedHost(callers_id_maps());
  ShiftedHost machines(callers_id_maps());
  ShiftedHost host(roots_range());
  try {
    const Fd user_namespace = make_user_namespace(host.maps_);
    const std::string mountinfo = read_file("/proc/self/mountinfo");
    for (const fs::path& top : places_to_shift(needed)) host.shift_all_below(top, mountinfo, user_namespace);
    host.devices_ = make_devices(host.maps_);
  } catch (const Error& error) {
    machines.why_not_ = error.what();
    return machines;
  }
  const auto unshifted = std::find_if(needed.begin(), needed.end(), [&](const fs::path& path) {
    boost::system::error_code failed;
    return fs::exists(path, failed) && path != "/" && !host.is_shifted(path);
  });
  if (unshifted == needed.end()) return host;
  machines.why_not_ = cat("the kernel can't shift ids of the file system that ", unshifted->string(), " is on");
  return machines;
}

void ShiftedHost::attach() {
  for (Mount& mount : mounts_) {
    try {
      attach_mount(std::exchange(mount.mount, Fd()), mount.place);
    } catch (const Error& error) {
      // It is gone since, or lies where the sandbox's root can't enter: in the home of somebody outside of the range.
      if (error.system_error() != ENOENT && error.system_error() != EACCES) throw;
    }
  }
  if (!devices_) return;
  const fs::path place = "/tmp";  // for a moment
  attach_mount(std::exchange(devices_, Fd()), place);
  bind_mount(place / k_kvm, fs::path("/dev") / k_kvm, Access::read_write);
  ::umount2(place.c_str(), MNT_DETACH);
}

}  // namespace hearth::builder
