#include "base/sys/namespace.hpp"

#include <fcntl.h>
#include <grp.h>
#include <linux/sched.h>
#include <pwd.h>
#include <sched.h>
#include <sys/mount.h>
#include <sys/prctl.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <csignal>
#include <cstdio>

#include "base/error.hpp"
#include "base/log.hpp"
#include "base/sys/file.hpp"
#include "base/sys/limits.hpp"
#include "base/sys/namespace_trial.hpp"
#include "base/text.hpp"

namespace hearth {

namespace {

constexpr std::uint32_t k_ids = 65536;
constexpr std::uint32_t k_default_range = 1000000;  // root's where /etc/subuid gives none, as LXD and Incus have it
constexpr std::size_t k_map_lines = 124;            // the kernel takes 340, in less than a page: 124 of the longest
constexpr std::uint64_t k_namespaces = CLONE_NEWUSER | CLONE_NEWNS | CLONE_NEWPID | CLONE_NEWIPC | CLONE_NEWUTS;

std::string user_name(uid_t uid) {
  const passwd* entry = ::getpwuid(uid);
  return entry != nullptr ? entry->pw_name : "";
}

std::vector<IdMap> id_map_for(std::uint32_t id, const char* file, uid_t uid) {
  const bool is_group = std::string_view(file).ends_with("gid");
  if (uid == 0)
    return plan_same_ids(RealFileSystem().read(is_group ? "/proc/self/gid_map" : "/proc/self/uid_map").value_or(""));
  const std::string text = RealFileSystem().read(file).value_or("");
  const std::optional<std::vector<IdMap>> map = plan_id_map(id, parse_sub_ids(text, user_name(uid), uid));
  if (map) return *map;
  throw Error(ErrorKind::unsupported, cat("user ", user_name(uid), " has no range of 65535 ids in ", file))
      .hint(
          cat("Give one (as root): usermod --add-subuids 100000-165535 --add-subgids 100000-165535 ", user_name(uid)));
}

std::string map_text(const std::vector<IdMap>& maps) {
  std::string text;
  for (const IdMap& map : maps) text += cat(map.inside, " ", map.outside, " ", map.count, "\n");
  return text;
}

void write_map(pid_t pid, const char* file, const char* tool, const std::vector<IdMap>& maps) {
  if (::geteuid() == 0) {
    const std::string path = cat("/proc/", pid, "/", file);
    write_all(Fd::open(path, O_WRONLY), map_text(maps), path);
    return;
  }
  std::vector<std::string> argv = {tool, std::to_string(pid)};
  for (const IdMap& map : maps) {
    for (const std::uint32_t number : {map.inside, map.outside, map.count}) argv.push_back(std::to_string(number));
  }
  SystemClock clock;
  RealRunner runner(clock);
  try {
    run_checked(runner, Command{.argv = argv});
  } catch (Error& error) {
    throw error.hint("newuidmap and newgidmap come with Debian's package uidmap.");
  }
}

/// By the kernel's own calls. The C library's would tell all threads, and it knows nothing of clone3: the threads of
/// our starter are not here, and it would wait for ever for one that was just being started.
bool become_root() {
  return ::syscall(SYS_setgroups, 0, nullptr) == 0 && ::syscall(SYS_setgid, 0) == 0 && ::syscall(SYS_setuid, 0) == 0;
}

/// The child's side: wait for the maps, become root inside, cut the mount tree off from the host's, run the body.
[[noreturn]] void run_inside(const std::function<int()>& body, Pipe& ready) {
  ready.write = Fd();
  ::prctl(PR_SET_PDEATHSIG, SIGKILL);
  char go = 0;
  if (::read(ready.read.get(), &go, 1) != 1) ::_exit(125);  // the parent died or failed before the maps were written
  ready.read = Fd();
  if (!become_root()) ::_exit(125);
  ::prctl(PR_SET_PDEATHSIG, SIGKILL);  // setuid clears it where that is another id
  ::prctl(PR_SET_DUMPABLE, 1);         // as above: /proc/self would not be ours
  if (::mount(nullptr, "/", nullptr, MS_REC | MS_PRIVATE, nullptr) != 0) ::_exit(125);
  int code = 125;
  try {
    code = body();
  } catch (const Error& error) {
    std::fprintf(stderr, "hearth: %s\n", shown_text(error.story()).c_str());
    code = error.exit_code();
  } catch (const std::exception& error) {
    std::fprintf(stderr, "hearth: %s\n", shown_text(describe_unexpected(error)).c_str());
  }
  std::fflush(nullptr);
  ::_exit(code);
}

/// The parts of a range that no map has: the kernel refuses maps that have an id twice, and the last number is no id.
std::vector<SubIdRange> free_parts(const SubIdRange& range, const std::vector<IdMap>& maps) {
  const std::uint32_t count = std::min(range.count, UINT32_MAX - range.first);
  if (count == 0) return {};
  std::vector<SubIdRange> parts = {{range.first, count}};
  for (const IdMap& map : maps) {
    std::vector<SubIdRange> left;
    const auto keep = [&left](std::uint32_t first, std::uint32_t end) {
      if (first < end) left.push_back({first, end - first});
    };
    for (const SubIdRange& part : parts) {
      const std::uint32_t end = part.first + part.count;
      keep(part.first, std::min(end, map.outside));
      keep(std::max(part.first, map.outside + map.count), end);
    }
    parts = std::move(left);
  }
  return parts;
}

/// Maps the ids from `next` on to what of the ranges is free; returns the first that is left.
std::uint32_t add_ranges(std::vector<IdMap>& maps, std::uint32_t next, const std::vector<SubIdRange>& ranges) {
  for (const SubIdRange& range : ranges) {
    for (const SubIdRange& part : free_parts(range, maps)) {
      if (maps.size() == k_map_lines) return next;
      maps.push_back({next, part.first, part.count});
      next += part.count;
    }
  }
  return next;
}

Error no_namespaces(int error_number) {
  Error error = Error::from_errno("creating", "a user namespace", error_number);
  error.hint("Allow them (as root): sysctl kernel.unprivileged_userns_clone=1 user.max_user_namespaces=65536");
  return error;
}

}  // namespace

std::vector<SubIdRange> parse_sub_ids(std::string_view text, std::string_view user, std::uint32_t id) {
  std::vector<SubIdRange> ranges;
  for (const std::string& line : split_lines(text)) {
    const std::vector<std::string> fields = split(trim(line), ':');
    if (fields.size() != 3 || fields[0].empty()) continue;
    if (fields[0] != user && fields[0] != std::to_string(id)) continue;
    const auto first = parse_number(fields[1]);
    const auto count = parse_number(fields[2]);
    if (!first || !count || *first > UINT32_MAX || *first + *count > UINT32_MAX) continue;
    ranges.push_back({static_cast<std::uint32_t>(*first), static_cast<std::uint32_t>(*count)});
  }
  return ranges;
}

std::optional<std::vector<IdMap>> plan_id_map(std::uint32_t id, const std::vector<SubIdRange>& ranges) {
  std::vector<IdMap> maps = {IdMap{0, id, 1}};
  const std::uint32_t next = add_ranges(maps, 1, ranges);
  if (next < k_ids) return std::nullopt;
  return maps;
}

std::optional<std::vector<IdMap>> plan_range_map(const std::vector<SubIdRange>& ranges) {
  std::vector<IdMap> maps;
  return add_ranges(maps, 0, ranges) >= k_ids ? std::optional(maps) : std::nullopt;
}

std::vector<IdMap> plan_same_ids(std::string_view own_map) {
  std::vector<IdMap> maps;
  std::uint32_t ids = 0;
  for (const std::string& line : split_lines(own_map)) {
    const std::vector<std::string> words = split_words(line);
    const auto first = words.size() == 3 ? parse_number(words[0]) : std::nullopt;
    const auto count = words.size() == 3 ? parse_number(words[2]) : std::nullopt;
    if (!first || !count || *first >= k_ids) continue;
    const auto inside = static_cast<std::uint32_t>(*first);
    maps.push_back({inside, inside, static_cast<std::uint32_t>(std::min<std::uint64_t>(*count, k_ids - inside))});
    ids += maps.back().count;
  }
  if (ids + 1 >= k_ids) return maps;
  return {IdMap{0, 0, k_ids}};  // which the kernel refuses
}

IdMaps callers_id_maps() {
  return {id_map_for(::geteuid(), "/etc/subuid", ::geteuid()), id_map_for(::getegid(), "/etc/subgid", ::geteuid())};
}

IdMaps roots_range() {
  const auto range = [](const char* file) {
    const std::string text = RealFileSystem().read(file).value_or("");
    std::vector<SubIdRange> ranges = parse_sub_ids(text, "root", 0);
    // For containers that share an account of the machine root gets that id, too (root:1000:1).
    std::erase_if(ranges, [](const SubIdRange& each) { return each.first < k_ids; });
    return plan_range_map(ranges).value_or(std::vector{IdMap{0, k_default_range, k_ids}});
  };
  return {range("/etc/subuid"), range("/etc/subgid")};
}

namespace {

/// A map of this namespace's ids to a child's equal ones. Each range stands for itself: one of a child's must not span
/// two of its parent.
std::string same_ids(const char* file) {
  std::string text;
  for (const std::string& line : split_lines(read_file(file))) {
    const std::vector<std::string> words = split_words(line);
    if (words.size() == 3) text += cat(words[0], " ", words[0], " ", words[2], "\n");
  }
  return text;
}

}  // namespace

void lock_mounts() {
  const std::string uids = same_ids("/proc/self/uid_map");
  const std::string gids = same_ids("/proc/self/gid_map");
  // Only a process that stays in this namespace may write the maps. By the open directory: this process may have
  // another number in a /proc that a container lent.
  const Fd self = Fd::open("/proc/self", O_PATH | O_DIRECTORY);
  Pipe moved = Pipe::create();
  const pid_t writer = start_companion([&] {
    moved.write = Fd();
    char go = 0;
    if (::read(moved.read.get(), &go, 1) != 1) return 1;
    for (const auto& [name, text] : {std::pair("uid_map", &uids), std::pair("gid_map", &gids)}) {
      write_all(Fd(::openat(self.get(), name, O_WRONLY | O_CLOEXEC)), *text, name);
    }
    return 0;
  });
  const bool is_moved = ::unshare(CLONE_NEWUSER | CLONE_NEWNS) == 0;
  const int why = errno;
  if (is_moved) write_all(moved.write, "g", "the pipe to the writer of maps");
  moved = {};
  int raw = 0;
  while (::waitpid(writer, &raw, 0) < 0 && errno == EINTR) {
  }
  if (!is_moved) throw no_namespaces(why);
  if (raw != 0) throw Error(ErrorKind::external, "the ids of the hooks' user namespace could not be set");
  ::prctl(PR_SET_DUMPABLE, 0);
  ::prctl(PR_SET_PDEATHSIG, SIGKILL);
}

void let_others_look() { ::prctl(PR_SET_DUMPABLE, 1); }

namespace {

pid_t clone_into(std::uint64_t namespaces) {
  std::fflush(nullptr);  // or both processes would print what is still buffered
  clone_args args{};
  args.flags = namespaces;
  args.exit_signal = SIGCHLD;
  const auto pid = static_cast<pid_t>(::syscall(SYS_clone3, &args, sizeof args));
  if (pid < 0) throw no_namespaces(errno);
  return pid;
}

void write_maps(pid_t pid, const IdMaps& maps) {
  write_map(pid, "uid_map", "newuidmap", maps.uids);
  write_map(pid, "gid_map", "newgidmap", maps.gids);
}

}  // namespace

Fd make_user_namespace(const IdMaps& maps) {
  Pipe never = Pipe::create();
  const pid_t pid = clone_into(CLONE_NEWUSER);
  if (pid == 0) {
    never.write = Fd();
    char end = 0;
    ::_exit(::read(never.read.get(), &end, 1) == 0 ? 0 : 1);
  }
  const NamespacedProcess holder(pid);
  write_maps(pid, maps);
  return Fd::open(cat("/proc/", pid, "/ns/user"), O_RDONLY | O_CLOEXEC);
}

namespace {

/// The child's side of a trial: mounts, as the sandbox begins with them. Returns why it can't: errno.
int try_mounts(Pipe& ready) {
  ready.write = Fd();
  char go = 0;
  if (::read(ready.read.get(), &go, 1) != 1) return EINTR;
  if (!become_root()) return errno;
  if (::mount(nullptr, "/", nullptr, MS_REC | MS_PRIVATE, nullptr) != 0) return errno;
  if (::mount("tmpfs", "/proc", "tmpfs", MS_NOSUID | MS_NODEV, "mode=0755") != 0) return errno;
  return 0;
}

}  // namespace

std::optional<NamespaceRefusal> refused_namespaces(const IdMaps& maps) {
  NamespaceRefusal refusal{NamespaceRefusal::What::namespaces};
  try {
    Pipe ready = Pipe::create();
    const pid_t pid = clone_into(k_namespaces);
    if (pid == 0) ::_exit(try_mounts(ready));
    NamespacedProcess child(pid);
    ready.read = Fd();
    refusal.what = NamespaceRefusal::What::ids;
    write_maps(pid, maps);
    refusal.what = NamespaceRefusal::What::mounts;
    write_all(ready.write, "g", "the trial");
    std::optional<ExitStatus> status;
    while (!status) status = child.wait();
    refusal.error_number = shell_code(*status);
  } catch (const Error& error) {
    refusal.error_number = error.system_error();
    return refusal;
  }
  return refusal.error_number == 0 ? std::nullopt : std::optional(refusal);
}

NamespacedProcess NamespacedProcess::start(const std::function<int()>& body, const IdMaps& maps) {
  Pipe ready = Pipe::create();
  const pid_t pid = clone_into(k_namespaces);
  if (pid == 0) run_inside(body, ready);
  NamespacedProcess process(pid);
  ready.read = Fd();
  write_maps(pid, maps);
  write_all(ready.write, "g", "the sandbox");
  return process;
}

NamespacedProcess::~NamespacedProcess() { kill(); }

std::optional<ExitStatus> NamespacedProcess::wait() {
  int raw = 0;
  if (::waitpid(pid_, &raw, 0) != pid_) {
    if (errno == EINTR) return std::nullopt;
    throw Error::from_errno("waiting for", "the sandbox");
  }
  pid_ = -1;
  return WIFEXITED(raw) ? ExitStatus(Exited{WEXITSTATUS(raw)}) : ExitStatus(Signaled{WTERMSIG(raw)});
}

void NamespacedProcess::kill() {
  if (pid_ <= 0) return;
  ::kill(pid_, SIGKILL);
  while (::waitpid(pid_, nullptr, 0) < 0 && errno == EINTR) {
  }
  pid_ = -1;
}

}  // namespace hearth
