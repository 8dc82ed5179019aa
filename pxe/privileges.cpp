#include "pxe/privileges.hpp"

#include <fcntl.h>
#include <grp.h>
#include <linux/capability.h>
#include <pwd.h>
#include <sys/prctl.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <unistd.h>

#include <array>
#include <cerrno>
#include <functional>
#include <optional>

#include "base/error.hpp"
#include "base/path.hpp"
#include "base/sys/file.hpp"
#include "base/text.hpp"
#include "pxe/state_owner.hpp"

namespace hearth::pxe {

namespace {

struct SystemUser {
  std::string name;
  uid_t uid;
  gid_t gid;
};

using Capabilities = std::array<__user_cap_data_struct, 2>;

std::uint32_t bit(unsigned capability) { return 1U << capability; }

SystemUser known_user(const std::string& user) {
  const passwd* entry = ::getpwnam(user.c_str());
  if (entry == nullptr)
    throw Error(ErrorKind::input, cat("there is no user ", user)).hint("adduser --system makes one.");
  return {user, entry->pw_uid, entry->pw_gid};
}

/// The same for a directory at each start, unless somebody has got it meanwhile.
SystemUser free_user(const std::string& state) {
  constexpr uid_t first = 61184;  // systemd's DynamicUser: up to 65519
  constexpr uid_t count = 65519 - first + 1;
  uid_t id = first + static_cast<uid_t>(std::hash<std::string>{}(state) % count);
  while (::getpwuid(id) != nullptr || ::getgrgid(id) != nullptr) id = id + 1 < first + count ? id + 1 : first;
  return {cat("user ", id), id, id};
}

/// Who has the directory, if that is not root.
std::optional<SystemUser> owner_of(const std::string& state) {
  struct stat status {};
  if (::stat(state.c_str(), &status) != 0 || status.st_uid == 0) return std::nullopt;
  return SystemUser{cat("user ", status.st_uid), status.st_uid, status.st_gid};
}

SystemUser fitting_user(const std::string& state, bool stays_with_owner) {
  const std::optional<SystemUser> owner = owner_of(state);
  if (owner && stays_with_owner) return *owner;
  if (const passwd* entry = ::getpwnam("hearth")) return {"hearth", entry->pw_uid, entry->pw_gid};
  return owner ? *owner : free_user(state);
}

/// Given to nobody, not even if he is named: what all others have is in them.
bool is_systems(const fs::path& path) {
  for (const char* shared :
       {"/",    "/bin",     "/boot",      "/dev",     "/etc",       "/home",      "/lib",     "/media",  "/mnt",
        "/opt", "/proc",    "/root",      "/run",     "/sbin",      "/srv",       "/sys",     "/tmp",    "/usr",
        "/var", "/var/lib", "/var/cache", "/var/log", "/var/spool", "/var/local", "/var/opt", "/var/tmp"}) {
    if (path == shared) return true;
  }
  return path.string().starts_with("/usr/");
}

/// The directory above it through which he may not go; empty where there is none.
std::string closed_to(const fs::path& path, const SystemUser& user) {
  for (fs::path above = path.parent_path(); user.uid != 0 && !above.empty(); above = above.parent_path()) {
    struct stat status {};
    if (::stat(above.c_str(), &status) != 0) return above.string();
    const mode_t wanted = status.st_uid == user.uid ? S_IXUSR : status.st_gid == user.gid ? S_IXGRP : S_IXOTH;
    if ((status.st_mode & wanted) == 0) return above.string();
    if (above == above.root_path()) break;
  }
  return "";
}

/// Why a directory is not to be given to somebody unasked; empty where it may.
std::string kept_back(const fs::path& path, const SystemUser& user) {
  struct stat status {};
  if (::stat(path.c_str(), &status) == 0 && (status.st_mode & S_IWOTH) != 0)
    return cat(path.string(), " is open to all");
  if (is_systems(path) || path.parent_path() == path.root_path()) return cat(path.string(), " is the system's");
  std::string owner;
  ::setpwent();
  while (const passwd* entry = ::getpwent()) {
    if (path == entry->pw_dir && entry->pw_uid != user.uid) owner = entry->pw_name;
  }
  ::endpwent();
  if (!owner.empty()) return cat(path.string(), " is the home of ", owner);
  if (const std::string closed = closed_to(path, user); !closed.empty())
    return cat(closed, " is closed to ", user.name, " (chmod o+x ", closed, " opens the way)");
  const StateTree tree(path.string());
  const std::string other = tree.owner() == 0 ? tree.of_others(user.uid) : "";  // else it was given before
  return other.empty() ? "" : cat(path.string(), " holds what is somebody else's (", other, ")");
}

void become(const SystemUser& user) {
  if (::setgroups(0, nullptr) != 0 || ::setresgid(user.gid, user.gid, user.gid) != 0 ||
      ::setresuid(user.uid, user.uid, user.uid) != 0)
    throw Error::from_errno("becoming", user.name);
}

/// The first that can't be read by who this is now.
std::string unreadable(const std::vector<std::string>& paths) {
  for (const std::string& path : paths) {
    if (!path.empty() && ::faccessat(AT_FDCWD, path.c_str(), R_OK, AT_EACCESS) != 0 && errno == EACCES) return path;
  }
  return "";
}

/// Has these in force, and may take those of `permitted` again.
void have_only(std::uint32_t effective, std::uint32_t permitted = 0) {
  __user_cap_header_struct header{_LINUX_CAPABILITY_VERSION_3, 0};
  Capabilities kept{};
  kept[0].effective = effective;
  kept[0].permitted = effective | permitted;
  if (::syscall(SYS_capset, &header, kept.data()) != 0) throw Error::from_errno("giving up", "capabilities");
}

/// Of these, what this process may have.
std::uint32_t kept_of(std::uint32_t capabilities) {
  __user_cap_header_struct header{_LINUX_CAPABILITY_VERSION_3, 0};
  Capabilities have{};
  return ::syscall(SYS_capget, &header, have.data()) == 0 ? capabilities & have[0].permitted : 0;
}

struct Choice {
  std::optional<SystemUser> user;  ///< nothing: stays who it is
  std::string why;                 ///< it stays root
};

Choice choice(const RightsWish& wish) {
  std::vector<fs::path> states;
  for (const std::string& state : wish.states) states.push_back(fs::weakly_canonical(state));
  const bool is_roots = wish.user == "root";
  if (!wish.user.empty() && !is_roots) {
    const SystemUser user = known_user(wish.user);
    for (const fs::path& state : states) {
      const std::string closed = closed_to(state, user);
      if (is_systems(state) || !closed.empty())
        throw Error(ErrorKind::input,
                    closed.empty() ? cat(state.string(), " is the system's: it is not given to ", wish.user)
                                   : cat(closed, " is closed to ", wish.user, ", whose ", state.string(), " is to be"))
            .hint("Give the state a directory of its own.");
    }
    return {user, ""};
  }
  if (!is_machines_root() || states.empty()) return {std::nullopt, is_roots ? "--user" : ""};
  SystemUser user = is_roots ? SystemUser{"root", 0, 0} : fitting_user(states.front().string(), wish.stays_with_owner);
  for (const fs::path& state : states) {
    if (std::string why = kept_back(state, user); !why.empty())
      return {std::nullopt, is_roots ? "--user" : cat(why, ": give it a directory of its own, or name a --user")};
  }
  return {std::move(user), is_roots ? "--user" : ""};
}

/// What lets this user read it, so that the next start keeps no right to read all.
std::string read_access(const std::string& file) {
  const std::string closed = closed_to(fs::absolute(file), {"", ::geteuid(), ::getegid()});
  return closed.empty()
             ? cat("chgrp ", ::getegid(), " ", file, " && chmod g+r ", file, " ends that with the next start")
             : cat(closed, " is closed to it: where it may go, and with chgrp ", ::getegid(),
                   " and chmod g+r, it may read that file alone");
}

}  // namespace

bool is_machines_root() {
  const std::vector<std::string> map = split_words(RealFileSystem().read("/proc/self/uid_map").value_or(""));
  __user_cap_header_struct header{_LINUX_CAPABILITY_VERSION_3, 0};
  Capabilities have{};
  const std::uint32_t wanted = bit(CAP_CHOWN) | bit(CAP_SETUID) | bit(CAP_SETGID);
  return ::geteuid() == 0 && map == std::vector<std::string>{"0", "0", "4294967295"} &&
         ::syscall(SYS_capget, &header, have.data()) == 0 && (have[0].effective & wanted) == wanted;
}

Rights::Rights(RightsWish wish, Logger& log) : wish_(std::move(wish)), log_(log) {
  for (const std::string& state : wish_.states) RealFileSystem().make_directories(state, 0750);
  const Choice chosen = choice(wish_);
  why_ = chosen.why;
  if (::prctl(PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0) != 0) throw Error::from_errno("giving up", "new privileges");
  ::prctl(PR_CAP_AMBIENT, PR_CAP_AMBIENT_CLEAR_ALL, 0, 0, 0);
  if (!chosen.user) return;
  for (const std::string& state : wish_.states) StateTree(state).give(chosen.user->uid, chosen.user->gid, log_);
  if (::prctl(PR_SET_KEEPCAPS, 1, 0, 0, 0) != 0) throw Error::from_errno("keeping", "capabilities for a moment");
  become(*chosen.user);
  have_only(kept_of(bit(CAP_NET_BIND_SERVICE) | bit(CAP_NET_RAW) | bit(CAP_DAC_READ_SEARCH)));
  ::prctl(PR_SET_KEEPCAPS, 0, 0, 0, 0);
  if (chosen.user->uid != 0) user_ = chosen.user->name;
}

void Rights::give_up() {
  const std::uint32_t reading = user_.empty() || !wish_.user.empty() ? 0 : kept_of(bit(CAP_DAC_READ_SEARCH));
  have_only(0, reading);
  const std::string only_roots = reading == 0 ? "" : unreadable(wish_.needed);
  have_only(only_roots.empty() ? 0 : reading);
  if (user_.empty()) {
    if (!why_.empty()) log_.info(cat("serves as root, without capabilities: ", why_));
    return;
  }
  log_.info(cat("serves as ", user_, " from now on, ",
                only_roots.empty() ? "without capabilities"
                                   : cat("who may read all files, since ", only_roots, " is not readable to it (",
                                         read_access(only_roots), ")")));
}

}  // namespace hearth::pxe
