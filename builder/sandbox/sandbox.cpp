#include "builder/sandbox/sandbox.hpp"

#include <fcntl.h>
#include <linux/keyctl.h>
#include <sys/mount.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <cstdlib>
#include <set>

#include "base/error.hpp"
#include "base/sys/file.hpp"
#include "base/sys/mount.hpp"
#include "base/sys/namespace.hpp"
#include "base/text.hpp"
#include "builder/sandbox/call_filter.hpp"

namespace hearth::builder {

namespace {

const fs::path k_old_root = "/.host";                 // the host's tree, while the new root is put together
const fs::path k_empty_file = "/.empty";              // what hidden files look like
const fs::path k_network_settings = "/proc/sys/net";  // shows those of the network that its reader is in
const fs::path k_nothing = "/.nothing";               // the lower half of an overlay that has none
const fs::path k_builders = "/.builder";              // what is the builder's alone, below a cover
const fs::path k_beside = "/hearth/beside";

/// Top-level directories that the sandbox makes itself.
const std::set<std::string> k_own_directories = {"proc", "sys", "dev", "run", "tmp", "hearth"};

void make_directory(const fs::path& path, mode_t mode = 0755) {
  if (::mkdir(path.c_str(), mode) != 0 && errno != EEXIST)
    throw Error::from_errno("creating the directory", path.string());
  ::chmod(path.c_str(), mode);
}

/// The base of the new root is an existing directory that a tmpfs covers for a moment; pivoting uncovers it again.
void pivot_to_new_root() {
  const fs::path base = "/tmp";
  mount_file_system("tmpfs", "tmpfs", base, MS_NOSUID | MS_NODEV, "mode=0755");
  make_directory(base / k_old_root.relative_path());
  if (::chdir(base.c_str()) != 0) throw Error::from_errno("entering", base.string());
  if (::syscall(SYS_pivot_root, ".", k_old_root.relative_path().c_str()) != 0) {
    throw Error::from_errno("changing the root to", base.string());
  }
  if (::chdir("/") != 0) throw Error::from_errno("entering", "/");
}

/// Something for an entry of the host to be bound to; a link is made as it is. Returns whether there is something to
/// bind.
bool make_place(const fs::path& source, const fs::path& target) {
  const fs::file_status status = fs::symlink_status(source);
  if (fs::is_symlink(status)) fs::create_symlink(fs::read_symlink(source), target);
  if (fs::is_directory(status)) make_directory(target);
  if (fs::is_regular_file(status)) (void)Fd::open(target.string(), O_CREAT | O_WRONLY, 0644);
  return fs::is_directory(status) || fs::is_regular_file(status);
}

/// Shows one entry of the host read-only: a link as a link, directories and files bound.
void show_entry(const fs::path& source, const fs::path& target) {
  if (make_place(source, target)) bind_mount(source, target, Access::read_only);
}

/// As a lower half in an overlay's options.
std::string as_layer(const fs::path& lower) {
  std::string escaped;
  for (const char c : lower.string()) escaped += c == ':' || c == ',' || c == '\\' ? cat("\\", c) : std::string(1, c);
  return escaped;
}

/// Without its sockets: an overlay's are nobody's. Returns false where the kernel refuses.
bool mount_read_only_overlay(const fs::path& lower, const fs::path& directory) {
  const std::string layers = cat("lowerdir=", as_layer(lower), ":", k_nothing.string(), ",userxattr");
  return ::mount("overlay", directory.c_str(), "overlay", MS_NOSUID | MS_NODEV | MS_RDONLY, layers.c_str()) == 0;
}

/// The entries of a directory that has mounts below, one by one; what has some itself is taken apart in turn.
class Entries {
 public:
  /// What lies beside `image`, where one is named, is not shown: there hooks write.
  explicit Entries(std::string image = {})
      : mounts_(RealFileSystem().read(k_old_root / "proc/self/mountinfo").value_or("")), image_(std::move(image)) {}

  /// Whether something is mounted below.
  [[nodiscard]] bool is_divided(const fs::path& entry) const {
    return fs::is_directory(fs::symlink_status(entry)) && !mount_points_below(mounts_, entry.string()).empty();
  }

  /// All of a directory of the host, as one where it can be.
  void show_whole(const fs::path& host, const fs::path& directory) const {
    if (is_divided(host)) make_places(host, directory);
    show_one(host, directory);
  }

  void make_places(const fs::path& host, const fs::path& places) const {
    each(host, [&](const fs::path& entry, const fs::path& name) {
      if (make_place(entry, places / name) && is_divided(entry)) make_places(entry, places / name);
    });
  }

  /// Read-only, and without sockets where there are overlays: a service of the machine may listen there.
  void show(const fs::path& host, const fs::path& directory) const {
    each(host, [&](const fs::path& entry, const fs::path& name) {
      const bool has_place = fs::exists(fs::symlink_status(directory / name));
      if (has_place && !fs::is_symlink(fs::symlink_status(entry))) show_one(entry, directory / name);
    });
  }

 private:
  void show_one(const fs::path& entry, const fs::path& place) const {
    if (is_divided(entry)) return show(entry, place);
    if (!fs::is_directory(fs::symlink_status(entry)) || !mount_read_only_overlay(entry, place))
      bind_mount(entry, place, Access::read_only);
  }
  template <typename Act>
  void each(const fs::path& host, const Act& act) const {
    for (const std::string& name : RealFileSystem().list(host)) {
      if (!image_.empty() && is_beside(name, image_)) continue;
      try {
        act(host / name, name);
      } catch (const std::exception&) {  // it went away meanwhile, or is not for us
      }
    }
  }
  std::string mounts_;
  std::string image_;
};

/// Where no service listens, and nearly all is read.
const std::set<std::string> k_without_sockets = {"bin",   "boot",   "etc",  "lib", "lib32",
                                                 "lib64", "libx32", "sbin", "usr"};

void show_host_directories() {
  const Entries entries;
  for (const std::string& name : RealFileSystem().list(k_old_root)) {
    if (k_own_directories.count(name) > 0) continue;
    const fs::path source = k_old_root / name;
    const bool is_system = k_without_sockets.count(name) > 0 || !fs::is_directory(fs::symlink_status(source));
    if (is_system) {
      show_entry(source, fs::path("/") / name);
    } else {
      make_directory(fs::path("/") / name);
      entries.show_whole(source, fs::path("/") / name);
    }
  }
}

void mount_proc(const fs::path& target) {
  try {
    mount_file_system("proc", "proc", target, MS_NOSUID | MS_NODEV | MS_NOEXEC, "");
  } catch (const Error&) {  // containers that mask parts of /proc forbid a new one
    bind_mount(fs::exists(k_old_root) ? k_old_root / "proc" : fs::path("/proc"), target, Access::read_write);
  }
}

/// A /dev that can't hurt: no disks, no memory, an own devpts. Nodes are bound, since a user namespace can't make any.
void fill_dev(const fs::path& dev, const fs::path& host_dev) {
  mount_file_system("tmpfs", "tmpfs", dev, MS_NOSUID, "mode=0755");
  for (const char* name : {"null", "zero", "full", "random", "urandom", "tty", "fuse", "kvm"}) {
    if (!fs::exists(host_dev / name)) continue;
    (void)Fd::open((dev / name).string(), O_CREAT | O_WRONLY, 0666);
    bind_mount(host_dev / name, dev / name, Access::read_write);
  }
  make_directory(dev / "pts");
  mount_file_system("devpts", "devpts", dev / "pts", MS_NOSUID | MS_NOEXEC, "newinstance,ptmxmode=0666,mode=620");
  make_directory(dev / "shm", 01777);
  mount_file_system("tmpfs", "tmpfs", dev / "shm", MS_NOSUID | MS_NODEV, "mode=1777");
  static constexpr std::array<std::pair<const char*, const char*>, 5> links = {{{"pts/ptmx", "ptmx"},
                                                                                {"/proc/self/fd", "fd"},
                                                                                {"/proc/self/fd/0", "stdin"},
                                                                                {"/proc/self/fd/1", "stdout"},
                                                                                {"/proc/self/fd/2", "stderr"}}};
  for (const auto& [to, name] : links) fs::create_symlink(to, dev / name);
}

/// Something empty in the place of what hooks must not see.
void hide(const fs::path& path) {
  const fs::file_status status = fs::symlink_status(path);
  if (fs::is_directory(status)) mount_file_system("tmpfs", "hidden", path, MS_NOSUID | MS_NODEV, "mode=0755");
  if (fs::is_regular_file(status)) bind_mount(k_empty_file, path, Access::read_only);
}

/// What acts on the machine and not on a namespace. As root the ids of the sandbox are the machine's, and the kernel
/// lets root's id write most of this without any capability.
void close_proc() {
  for (const char* name : {"sys", "sysrq-trigger", "bus", "fs", "irq"}) {
    const fs::path path = fs::path("/proc") / name;
    if (fs::exists(path)) bind_mount(path, path, Access::read_only);
  }
  for (const char* name : {"acpi", "asound", "scsi", "kcore", "keys", "key-users", "kmsg", "latency_stats",
                           "sched_debug", "timer_list", "timer_stats"}) {
    hide(fs::path("/proc") / name);
  }
}

/// No control groups of their own for hooks: they would get a writable view of the builder's, and of what else runs in
/// it. The limit is this user namespace's, and holds in those below; a container's /proc may not let us set it, and
/// then its own sandbox is what remains.
void forbid_control_groups() {
  boost::system::error_code failed;
  const fs::path limit = "/proc/sys/user/max_cgroup_namespaces";
  if (!fs::exists(limit, failed)) return;
  try {
    write_all(Fd::open(limit.string(), O_WRONLY), "0\n", limit.string());
  } catch (const Error&) {  // see above
  }
}

/// Secrets that the machine keeps in /etc: root's hooks could read them.
void hide_secrets() {
  for (const char* name : {"shadow", "shadow-", "gshadow", "gshadow-", "krb5.keytab", "ssl/private", "wireguard",
                           "NetworkManager/system-connections"}) {
    hide(fs::path("/etc") / name);
  }
  for (const std::string& name : RealFileSystem().list("/etc/ssh")) {
    if (name.starts_with("ssh_host_") && name.ends_with("_key")) hide(fs::path("/etc/ssh") / name);
  }
}

bool contains(const std::vector<fs::path>& paths, const fs::path& path) {
  return std::find(paths.begin(), paths.end(), path) != paths.end();
}

/// Of a home that is the output directory itself: the settings in it, where keys lie and shells read what to run.
void hide_settings(const fs::path& home) {
  for (const std::string& name : RealFileSystem().list(home)) {
    if (name.starts_with('.')) hide(home / name);
  }
}

/// Returns the settings of networks as they can be written, if some are to be.
Fd make_own_directories(const SandboxSpec& spec) {
  make_directory("/proc");
  mount_proc("/proc");
  forbid_control_groups();
  Fd settings = spec.has_own_network ? clone_mount(k_network_settings) : Fd();
  close_proc();
  make_directory("/sys");
  bind_mount(k_old_root / "sys", "/sys", Access::read_only);
  make_directory("/dev");
  fill_dev("/dev", k_old_root / "dev");
  make_directory("/run");
  if (fs::exists(k_old_root / "run/systemd/resolve")) {  // where /etc/resolv.conf may point to
    fs::create_directories("/run/systemd/resolve");
    bind_mount(k_old_root / "run/systemd/resolve", "/run/systemd/resolve", Access::read_only);
  }
  make_directory("/hearth");
  if (spec.work_directory.empty()) {
    mount_file_system("tmpfs", "hearth", "/hearth", MS_NODEV, cat("mode=0755,size=", spec.tmpfs_bytes));
  } else {
    bind_mount(k_old_root / spec.work_directory.relative_path(), "/hearth", Access::read_write);
  }
  for (const fs::path& path : {k_build_directory, k_image_directory, k_temporary_directory, k_shims_directory,
                               k_library_directory, k_elements_directory}) {
    make_directory(path);
  }
  bind_mount(k_old_root / spec.shims.relative_path(), k_shims_directory, Access::read_only);
  if (!spec.library.empty()) {
    bind_mount(k_old_root / spec.library.relative_path(), k_library_directory, Access::read_only);
  }
  return settings;
}

/// Mounts at `directory` what `lower` holds; what is written goes to `store`/upper. Returns false where the kernel
/// refuses.
bool mount_overlay(const fs::path& lower, const fs::path& store, const fs::path& directory) {
  const std::string layers = cat("lowerdir=", as_layer(lower), ",upperdir=", (store / "upper").string(),
                                 ",workdir=", (store / "work").string(), ",userxattr");
  return ::mount("overlay", directory.c_str(), "overlay", MS_NOSUID | MS_NODEV, layers.c_str()) == 0;
}

/// The host's `directory` as hooks see it: what is there can be read, what they write stays in the work area, where
/// upper holds that and nothing else (layers keep it). Of what is mounted below the directory an overlay shows nothing
/// (the kernel refuses it for locked mounts, which those of ShiftedHost are not): then the entries are shown one by one
/// over an overlay of empty ones, and only new ones can be written. Where there is no overlay at all, layers keep
/// nothing of it. Returns where what they write lies.
fs::path mount_copy(const fs::path& directory, const fs::path& store, mode_t mode, const std::string& image = {}) {
  const fs::path host = k_old_root / directory.relative_path();
  for (const char* name : {"upper", "work", "places"}) fs::create_directories(store / name);
  make_directory(store / "upper", mode);
  const Entries entries(image);
  if (!entries.is_divided(host) && mount_overlay(host, store, directory)) return store / "upper";
  entries.make_places(host, store / "places");
  if (!image.empty()) make_directory(store / "places" / (image + ".d"));
  const bool is_overlay = mount_overlay(store / "places", store, directory);
  if (!is_overlay) {
    make_directory(store / "places", mode);
    bind_mount(store / "places", directory, Access::read_write);
  }
  entries.show(host, directory);
  return store / (is_overlay ? "upper" : "places");
}

void mount_private_copy(const fs::path& directory) {
  if (!fs::is_directory(k_old_root / directory.relative_path())) return;
  if (directory == "/tmp") make_directory(directory, 01777);
  (void)mount_copy(directory, fs::path("/hearth/private") / directory.relative_path(), 01777);
}

/// A home as a whole is shown only where the output is to lie in it; who starts a build in another one finds an empty
/// directory. Returns whether something empty covers it now.
bool hide_home(const fs::path& home, const SandboxSpec& spec) {
  const bool is_there = fs::is_directory(fs::symlink_status(home));
  if (contains(spec.writable, home)) return false;
  if (is_there) hide(home);
  if (!is_there && contains(spec.readable, home)) fs::create_directories(home);
  return is_there;
}

/// The sandbox's own /dev, /run … and hidden homes hide what the host has there.
void show_readable(const fs::path& path) {
  const fs::path source = k_old_root / path.relative_path();
  if (fs::exists(path) || !fs::exists(source)) return;
  fs::create_directories(path.parent_path());
  show_entry(source, path);
}

void open_writable(const fs::path& path, const SandboxSpec& spec) {
  boost::system::error_code failed;
  fs::create_directories(path, failed);  // only missing where a private copy or an empty home hides it
  bind_mount(k_old_root / path.relative_path(), path, Access::read_write);
  if (contains(spec.homes, path)) hide_settings(path);
}

void make_read_only(const fs::path& mount_point) {
  if (::mount(nullptr, mount_point.c_str(), nullptr, MS_REMOUNT | MS_BIND | MS_RDONLY | MS_NOSUID | MS_NODEV,
              nullptr) != 0) {
    throw Error::from_errno("making read-only", mount_point.string());
  }
}

/// Returns where what hooks write there lies.
fs::path show_output(const SandboxSpec& spec) {
  const fs::path& path = spec.output;
  boost::system::error_code failed;
  fs::create_directories(path, failed);  // as for what is writable
  struct stat status {};
  if (::stat((k_old_root / path.relative_path()).c_str(), &status) != 0)
    throw Error::from_errno("looking at", path.string());
  fs::path written = mount_copy(path, k_beside, status.st_mode & 01777, spec.image);
  if (contains(spec.homes, path)) hide_settings(path);
  return written;
}

/// What hooks get of the host besides its system: parents first, since a mount covers what lies below it. Returns where
/// what they write to the outputs' directory lies.
fs::path lay_out_places(const SandboxSpec& spec) {
  std::set<fs::path> places(spec.homes.begin(), spec.homes.end());
  places.insert(spec.readable.begin(), spec.readable.end());
  places.insert(spec.writable.begin(), spec.writable.end());
  if (!spec.output.empty()) places.insert(spec.output);
  std::vector<fs::path> hidden;
  fs::path written;
  for (const fs::path& place : places) {
    if (contains(spec.homes, place)) {
      if (hide_home(place, spec)) hidden.push_back(place);
    } else if (contains(spec.readable, place) && !contains(spec.writable, place)) {
      show_readable(place);
    }
    if (place == spec.output) {
      written = show_output(spec);
    } else if (contains(spec.writable, place)) {
      open_writable(place, spec);
    }
  }
  for (const fs::path& home : hidden) make_read_only(home);
  return written;
}

/// Under all of its paths. (A second name by a hard link is refused when the key is read.)
void hide_key(const fs::path& key) {
  hide(key);
  const std::string mounts = RealFileSystem().read("/proc/self/mountinfo").value_or("");
  for (const std::string& path : other_paths(mounts, (k_old_root / key.relative_path()).string())) {
    if (path.starts_with(k_old_root.string() + "/")) hide(path.substr(k_old_root.string().size()));
  }
}

/// Hooks find an empty directory there, which is locked as all mounts are.
void cover(const fs::path& directory) {
  if (!fs::is_directory(fs::symlink_status(directory))) return;
  hide(directory);
  make_read_only(directory);
}

std::vector<fs::path> builders_places(const SandboxSpec& spec) {
  std::vector<fs::path> places = spec.closed;
  if (!spec.output.empty()) places.push_back(spec.output);
  return places;
}

/// Mounts them below a directory of their own, which then is covered. What is left is this process's working directory,
/// below the cover: lock_mounts() takes it along into the inner namespace.
void lay_out_builders(const std::vector<fs::path>& places) {
  make_directory(k_builders);
  mount_file_system("tmpfs", "builder", k_builders, MS_NOSUID | MS_NODEV, "mode=0700");
  for (std::size_t i = 0; i < places.size(); ++i) {
    const fs::path place = k_builders / std::to_string(i);
    make_directory(place);
    bind_mount(k_old_root / places[i].relative_path(), place, Access::read_write);
  }
  if (::chdir(k_builders.c_str()) != 0) throw Error::from_errno("entering", k_builders.string());
  cover(k_builders);
}

/// Keys that the caller's session holds are not the build's: those that this process possesses it gives away.
void leave_keyrings() { ::syscall(SYS_keyctl, KEYCTL_JOIN_SESSION_KEYRING, nullptr); }

}  // namespace

bool is_beside(std::string_view file, std::string_view image) {
  if (!file.starts_with(image)) return false;
  const std::string_view rest = file.substr(image.size());
  return rest.empty() || rest.front() == '.' || rest.front() == '-';
}

fs::path BuilderPlaces::way_to(const fs::path& place) const {
  const auto found = std::find(places_.begin(), places_.end(), place);
  if (found == places_.end()) throw Error(ErrorKind::not_found, cat(place.string(), " is no place of the builder"));
  return cat("/proc/self/fd/", directory_.get(), "/", found - places_.begin());
}

void BuilderPlaces::show() const {
  // What lies in another one comes after it, or it would be covered again.
  std::set<fs::path> in_order(places_.begin(), places_.end());
  for (const fs::path& place : in_order) bind_mount(way_to(place), place, Access::read_write);
}

void BuilderPlaces::open_network_settings() const {
  if (!settings_) return;
  const fs::path aside = k_temporary_directory / "settings";
  make_directory(aside);
  attach_mount(settings_, aside);
  for (const char* name : {"bridge", "core", "ipv4", "ipv6", "unix"}) {
    if (fs::exists(aside / name)) bind_mount(aside / name, k_network_settings / name, Access::read_write);
  }
  if (::umount2(aside.c_str(), MNT_DETACH) != 0) throw Error::from_errno("letting go of", aside.string());
  fs::remove(aside);
}

BuilderPlaces enter_sandbox(const SandboxSpec& spec) {
  try {
    pivot_to_new_root();
    (void)Fd::open(k_empty_file.string(), O_CREAT | O_WRONLY, 0444);
    make_directory(k_nothing);
    show_host_directories();
    Fd settings = make_own_directories(spec);
    mount_private_copy("/tmp");
    mount_private_copy("/var/tmp");
    fs::path written = lay_out_places(spec);
    hide_secrets();  // a place may lie in /etc
    std::for_each(spec.keys.begin(), spec.keys.end(), hide_key);
    const std::vector<fs::path> places = builders_places(spec);
    lay_out_builders(places);
    std::for_each(spec.closed.begin(), spec.closed.end(), cover);
    ::setenv("TMPDIR", k_temporary_directory.c_str(), 1);
    if (::umount2(k_old_root.c_str(), MNT_DETACH) != 0) throw Error::from_errno("letting go of", "the host's root");
    ::rmdir(k_old_root.c_str());
    leave_keyrings();
    lock_mounts();
    Fd builders = Fd::open(".", O_PATH | O_DIRECTORY | O_CLOEXEC);
    if (::chdir(spec.start_directory.c_str()) != 0) throw Error::from_errno("entering", spec.start_directory.string());
    refuse_dangerous_calls();
    return {std::move(builders), places, std::move(written), std::move(settings)};
  } catch (Error& error) {
    throw error.during("setting up the sandbox");
  } catch (const fs::filesystem_error& error) {
    throw Error(ErrorKind::io, cat("making ", error.path1().string(), ": ", error.code().message()))
        .during("setting up the sandbox")
        .hint("/hearth is the work area: memory, or a directory in TMPDIR with --no-tmpfs. It may be full.");
  }
}

TargetMounts::TargetMounts(fs::path root) : root_(std::move(root)) {
  for (const fs::path& place : places(root_)) {
    if (!fs::exists(place)) make_directory(place);
  }
  mount_proc(root_ / "proc");
  bind_mount("/sys", root_ / "sys", Access::read_only);
  fill_dev(root_ / "dev", "/dev");
}

TargetMounts::~TargetMounts() {
  try {
    unmount();
  } catch (...) {  // the namespace goes with the process
  }
}

std::vector<fs::path> TargetMounts::places(const fs::path& root) { return {root / "proc", root / "sys", root / "dev"}; }

void TargetMounts::unmount() { unmount_below(root_); }

TargetHooks::TargetHooks(const fs::path& root, const fs::path& hooks) : mount_point_(root / "tmp/in_target.d") {
  fs::create_directories(mount_point_);
  bind_mount(hooks, mount_point_, Access::read_only);
}

TargetHooks::~TargetHooks() {
  ::umount2(mount_point_.c_str(), MNT_DETACH);
  ::rmdir(mount_point_.c_str());
}

}  // namespace hearth::builder
