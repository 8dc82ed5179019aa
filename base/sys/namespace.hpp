// Namespaces: running a function as process 1 of its own user, mount, pid, ipc and uts namespaces. When this process
// dies, however it dies, the kernel kills everything inside and takes every mount away: nothing can leak.
//
// The user namespace maps a whole range of ids, so that an image tree can hold any owner. As root the maps are written
// directly; an ordinary user needs newuidmap and a range in /etc/subuid (uidmap package), which the error explains.
#pragma once

#include <sys/types.h>

#include <cstdint>
#include <functional>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "base/sys/fd.hpp"
#include "base/sys/process.hpp"

namespace hearth {

/// `count` ids from `inside` on are ids from `outside` on of the parent namespace.
struct IdMap {
  std::uint32_t inside = 0;
  std::uint32_t outside = 0;
  std::uint32_t count = 0;
  bool operator==(const IdMap&) const = default;
};

/// The ranges that /etc/subuid (or subgid) text gives to `user`, by name or number.
struct SubIdRange {
  std::uint32_t first = 0;
  std::uint32_t count = 0;
  bool operator==(const SubIdRange&) const = default;
};
[[nodiscard]] std::vector<SubIdRange> parse_sub_ids(std::string_view text, std::string_view user, std::uint32_t id);

/// Maps id 0 inside to `id` (the caller) and 1… to the sub-id ranges, all of them, but no id twice: of ranges that
/// overlap the first keeps it. What is beyond 124 maps, as many as the kernel always takes, is left out. Root maps the
/// identity instead. Fewer than 65535 sub-ids give nothing: images hold owners up to 65534.
[[nodiscard]] std::optional<std::vector<IdMap>> plan_id_map(std::uint32_t id, const std::vector<SubIdRange>& ranges);

/// Maps 0… to the ranges alone, all of them, likewise; fewer than 65536 ids give nothing.
[[nodiscard]] std::optional<std::vector<IdMap>> plan_range_map(const std::vector<SubIdRange>& ranges);

/// For root: the ids of his namespace are the same ones in a child's, 65536 in all, by the text of its uid_map (or
/// gid_map): a container's has several ranges, of which none of a child's may span two.
[[nodiscard]] std::vector<IdMap> plan_same_ids(std::string_view own_map);

struct IdMaps {
  std::vector<IdMap> uids;
  std::vector<IdMap> gids;
  bool operator==(const IdMaps&) const = default;
};

/// Root's are this machine's ids, an ordinary user's himself and his sub-ids. Throws Error when he has none.
[[nodiscard]] IdMaps callers_id_maps();

/// For root: none of this machine's ids, but the range that /etc/subuid and /etc/subgid give to root, else 1000000 and
/// what follows.
[[nodiscard]] IdMaps roots_range();

/// A user namespace of these maps, in which nothing runs. Throws Error when the machine allows none.
[[nodiscard]] Fd make_user_namespace(const IdMaps& maps);

/// Moves this process, which must have one thread only, to a user and a mount namespace below its own, with the same
/// ids. The kernel locks what is mounted now: there it can be neither unmounted, nor moved, nor made writable, whatever
/// capabilities somebody has. Processes started later can't look into this one (PR_SET_DUMPABLE): its descriptors may
/// lead out.
void lock_mounts();

/// After lock_mounts(), when nobody else's program runs any more: other processes may look into this one again, which
/// is how a program that it starts opens a file without a name (AtomicFile::proc_path()).
void let_others_look();

struct NamespaceRefusal;  // namespace_trial.hpp

/// A function running as process 1 in namespaces of its own.
class NamespacedProcess {
 public:
  /// `body` runs as uid 0 inside, with all capabilities there and a private mount tree; its return value is the exit
  /// code. Throws Error when the machine does not allow user namespaces or has no id range for this user.
  [[nodiscard]] static NamespacedProcess start(const std::function<int()>& body,
                                               const IdMaps& maps = callers_id_maps());
  NamespacedProcess(NamespacedProcess&& other) noexcept : pid_(std::exchange(other.pid_, -1)) {}
  NamespacedProcess& operator=(NamespacedProcess&&) = delete;
  ~NamespacedProcess();

  [[nodiscard]] pid_t pid() const { return pid_; }
  /// Waits for its end; returns early with nothing when a signal handler ran (EINTR).
  [[nodiscard]] std::optional<ExitStatus> wait();
  /// Kills it, and with it everything inside.
  void kill();

 private:
  friend Fd make_user_namespace(const IdMaps& maps);
  friend std::optional<NamespaceRefusal> refused_namespaces(const IdMaps& maps);
  explicit NamespacedProcess(pid_t pid) : pid_(pid) {}
  pid_t pid_ = -1;
};

}  // namespace hearth
