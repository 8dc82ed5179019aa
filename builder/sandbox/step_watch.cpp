#include "builder/sandbox/step_watch.hpp"

#include <arpa/inet.h>
#include <fcntl.h>
#include <linux/audit.h>
#include <linux/filter.h>
#include <linux/seccomp.h>
#include <poll.h>
#include <sys/inotify.h>
#include <sys/ioctl.h>
#include <sys/mount.h>
#include <sys/syscall.h>
#include <sys/uio.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <cstddef>
#include <cstring>
#include <iterator>
#include <optional>

#include "base/byte_order.hpp"
#include "base/error.hpp"
#include "base/sys/file.hpp"
#include "base/text.hpp"

#ifndef SECCOMP_FILTER_FLAG_WAIT_KILLABLE_RECV
#define SECCOMP_FILTER_FLAG_WAIT_KILLABLE_RECV (1UL << 5)
#endif
#ifndef SECCOMP_USER_NOTIF_FD_SYNC_WAKE_UP
#define SECCOMP_USER_NOTIF_FD_SYNC_WAKE_UP (1UL << 0)
#define SECCOMP_IOCTL_NOTIF_SET_FLAGS SECCOMP_IOW(4, __u64)
#endif

namespace hearth::builder {

namespace {

/// Calls that name another socket or a file, by one architecture's numbers.
struct WatchedCalls {
  std::uint32_t architecture;
  std::uint32_t connect;
  std::uint32_t send_to;
  std::uint32_t send_message;
  std::uint32_t send_messages;
  std::uint32_t socket_call;  ///< i386's one call for all of them; 0 = none
  std::size_t pointer;        ///< bytes
  std::uint32_t open;         ///< 0 = none
  std::uint32_t open_at;
  std::uint32_t open_at_2;
  std::uint32_t run;
  std::uint32_t run_at;
  std::array<std::uint32_t, 10>
      ask;  ///< whether a path is there, and what it is: stat, access, readlink, chdir; 0 = none
  std::array<std::uint32_t, 5> ask_at;  ///< likewise, from a directory on
  std::uint32_t mount;                  ///< this and the next ones show a directory elsewhere
  std::uint32_t change_root;
  std::uint32_t open_tree;
  std::uint32_t open_file_system;
};

#if defined(__x86_64__)
constexpr std::array<WatchedCalls, 2> k_watched_calls = {
    {{AUDIT_ARCH_X86_64,
      SYS_connect,
      SYS_sendto,
      SYS_sendmsg,
      SYS_sendmmsg,
      0,
      8,
      SYS_open,
      SYS_openat,
      SYS_openat2,
      SYS_execve,
      SYS_execveat,
      {SYS_stat, SYS_lstat, SYS_access, SYS_readlink, SYS_chdir},
      {SYS_newfstatat, SYS_statx, SYS_faccessat, SYS_faccessat2, SYS_readlinkat},
      SYS_mount,
      SYS_chroot,
      SYS_open_tree,
      SYS_fsopen},
     {AUDIT_ARCH_I386,
      362,
      369,
      370,
      345,
      102,
      4,
      5,
      295,
      437,
      11,
      358,
      {18, 84, 106, 107, 195, 196, 33, 85, 12},
      {300, 383, 307, 439, 305},
      21,
      61,
      428,
      430}}};
#elif defined(__aarch64__)
constexpr std::array<WatchedCalls, 2> k_watched_calls = {
    {{AUDIT_ARCH_AARCH64,
      SYS_connect,
      SYS_sendto,
      SYS_sendmsg,
      SYS_sendmmsg,
      0,
      8,
      0,
      SYS_openat,
      SYS_openat2,
      SYS_execve,
      SYS_execveat,
      {SYS_chdir},
      {SYS_newfstatat, SYS_statx, SYS_faccessat, SYS_faccessat2, SYS_readlinkat},
      SYS_mount,
      SYS_chroot,
      SYS_open_tree,
      SYS_fsopen},
     {AUDIT_ARCH_ARM,
      283,
      290,
      296,
      374,
      0,
      4,
      5,
      322,
      437,
      11,
      387,
      {106, 107, 195, 196, 33, 85, 12},
      {327, 397, 334, 439, 332},
      21,
      61,
      428,
      430}}};
#else
#error "name the architecture of system calls here"
#endif

constexpr std::uint64_t k_socket_connect = 3;  // socketcall(2)
constexpr std::uint64_t k_socket_send_to = 11;
constexpr std::uint64_t k_longest_address = 128;
constexpr std::uint16_t k_dns = 53;

using WatchFilter = std::vector<sock_filter>;

void add_rule(WatchFilter& filter, std::uint16_t code, std::uint32_t value, std::size_t if_true = 0,
              std::size_t if_not = 0) {
  filter.push_back({code, static_cast<std::uint8_t>(if_true), static_cast<std::uint8_t>(if_not), value});
}

void load_word(WatchFilter& filter, std::size_t offset) {
  add_rule(filter, BPF_LD | BPF_W | BPF_ABS, static_cast<std::uint32_t>(offset));
}

/// Tells of call `number`, which was loaded last.
void tell_of(WatchFilter& filter, std::uint32_t number) {
  add_rule(filter, BPF_JMP | BPF_JEQ | BPF_K, number, 0, 1);
  add_rule(filter, BPF_RET | BPF_K, SECCOMP_RET_USER_NOTIF);
}

/// Tells of it where it begins at the working directory. Where it begins at one that was opened, the names of that one
/// were told when it was, and who goes through a large tree so is not slowed down.
void tell_of_asking_at(WatchFilter& filter, std::uint32_t number) {
  add_rule(filter, BPF_JMP | BPF_JEQ | BPF_K, number, 0, 4);
  load_word(filter, offsetof(seccomp_data, args));  // its low half
  add_rule(filter, BPF_JMP | BPF_JEQ | BPF_K, static_cast<std::uint32_t>(AT_FDCWD), 0, 1);
  add_rule(filter, BPF_RET | BPF_K, SECCOMP_RET_USER_NOTIF);
  add_rule(filter, BPF_RET | BPF_K, SECCOMP_RET_ALLOW);
}

constexpr std::uint32_t k_nameless =
    O_TMPFILE & ~O_DIRECTORY;  ///< a new file, in a directory that nobody reads by that

/// Tells of it where its flags, the argument of this number, say that something that exists may be read or found.
void tell_of_reading(WatchFilter& filter, std::uint32_t number, std::size_t flags) {
  add_rule(filter, BPF_JMP | BPF_JEQ | BPF_K, number, 0, 5);
  load_word(filter, offsetof(seccomp_data, args) + flags * sizeof(std::uint64_t));  // its low half
  add_rule(filter, BPF_JMP | BPF_JSET | BPF_K, O_PATH, 1, 0);
  add_rule(filter, BPF_JMP | BPF_JSET | BPF_K, O_WRONLY | O_TRUNC | O_EXCL | k_nameless, 1, 0);
  add_rule(filter, BPF_RET | BPF_K, SECCOMP_RET_USER_NOTIF);
  add_rule(filter, BPF_RET | BPF_K, SECCOMP_RET_ALLOW);
}

WatchFilter filter_for(bool network, bool reads) {
  WatchFilter filter;
  for (const WatchedCalls& calls : k_watched_calls) {
    WatchFilter rules;
    load_word(rules, offsetof(seccomp_data, nr));
    if (network) {
      for (const std::uint32_t number : {calls.connect, calls.send_to, calls.send_message, calls.send_messages})
        tell_of(rules, number);
      if (calls.socket_call != 0) tell_of(rules, calls.socket_call);
    }
    if (reads) {
      if (calls.open != 0) tell_of_reading(rules, calls.open, 1);
      tell_of_reading(rules, calls.open_at, 2);
      for (const std::uint32_t number : {calls.open_at_2, calls.run, calls.run_at, calls.mount, calls.change_root,
                                         calls.open_tree, calls.open_file_system})  // their flags are out of its sight
        tell_of(rules, number);
      for (const std::uint32_t number : calls.ask) {
        if (number != 0) tell_of(rules, number);
      }
      for (const std::uint32_t number : calls.ask_at) tell_of_asking_at(rules, number);
    }
    add_rule(rules, BPF_RET | BPF_K, SECCOMP_RET_ALLOW);
    load_word(filter, offsetof(seccomp_data, arch));
    add_rule(filter, BPF_JMP | BPF_JEQ | BPF_K, calls.architecture, 0, rules.size());
    filter.insert(filter.end(), rules.begin(), rules.end());
  }
  add_rule(filter, BPF_RET | BPF_K, SECCOMP_RET_ALLOW);
  return filter;
}

Fd install_filter(WatchFilter program) {
  const sock_fprog filter{static_cast<unsigned short>(program.size()), program.data()};
  const auto install = [&](unsigned long flags) {
    return static_cast<int>(::syscall(SYS_seccomp, SECCOMP_SET_MODE_FILTER, flags, &filter));
  };
  int fd = install(SECCOMP_FILTER_FLAG_NEW_LISTENER | SECCOMP_FILTER_FLAG_WAIT_KILLABLE_RECV);
  if (fd < 0 && errno == EINVAL) fd = install(SECCOMP_FILTER_FLAG_NEW_LISTENER);  // Linux before 5.19
  // The two take turns, so one processor does for both: half the time of a call. Linux before 6.6 has no such thing.
  if (fd >= 0) (void)::ioctl(fd, SECCOMP_IOCTL_NOTIF_SET_FLAGS, SECCOMP_USER_NOTIF_FD_SYNC_WAKE_UP);
  return Fd(fd);
}

/// Of another process's memory; fewer bytes where there are no more. Numbers in it have the lowest byte first, as all
/// of k_watched_calls' architectures have.
std::string memory_of(pid_t pid, std::uint64_t address, std::uint64_t size) {
  std::string bytes(size, '\0');
  const iovec here{bytes.data(), bytes.size()};
  const iovec there{reinterpret_cast<void*>(address), bytes.size()};  // NOLINT(performance-no-int-to-ptr)
  const ssize_t got = ::process_vm_readv(pid, &here, 1, &there, 1, 0);
  bytes.resize(got < 0 ? 0 : static_cast<std::size_t>(got));
  return bytes;
}

/// The address that the call names; empty when it names none.
std::string named_address(const seccomp_notif& call) {
  const auto pid = static_cast<pid_t>(call.pid);
  const seccomp_data& data = call.data;
  for (const WatchedCalls& calls : k_watched_calls) {
    if (data.arch != calls.architecture) continue;
    const auto number = static_cast<std::uint32_t>(data.nr);
    std::uint64_t address = 0;
    std::uint64_t size = 0;
    if (number == calls.connect) address = data.args[1], size = data.args[2];
    if (number == calls.send_to) address = data.args[4], size = data.args[5];
    if (number == calls.send_message || number == calls.send_messages) {
      const std::string header = memory_of(pid, data.args[1], 2 * calls.pointer);
      address = get_le(header, 0, calls.pointer);
      size = get_le<std::uint32_t>(header, calls.pointer);
    }
    if (calls.socket_call != 0 && number == calls.socket_call) {
      const std::string words = memory_of(pid, data.args[1], 6 * calls.pointer);
      const bool connects = data.args[0] == k_socket_connect;
      if (!connects && data.args[0] != k_socket_send_to) return "";
      address = get_le(words, (connects ? 1 : 4) * calls.pointer, calls.pointer);
      size = get_le(words, (connects ? 2 : 5) * calls.pointer, calls.pointer);
    }
    return address == 0 || size == 0 ? "" : memory_of(pid, address, std::min(size, k_longest_address));
  }
  return "";
}

/// A text of another process's memory: in pieces, since what lies behind its end may not be there.
std::string text_of(pid_t pid, std::uint64_t address) {
  constexpr std::uint64_t page = 4096;
  std::string text;
  while (text.size() < page) {
    const std::string piece = memory_of(pid, address + text.size(), page - (address + text.size()) % page);
    const std::size_t end = piece.find('\0');
    text += piece.substr(0, end);
    if (piece.empty() || end != std::string::npos) break;
  }
  return text;
}

}  // namespace

struct FileRequest {
  enum class For { content, run, look, elsewhere };

  std::string path;          ///< as it was given; empty = no such call
  int directory = AT_FDCWD;  ///< where it begins when it is relative
  For what = For::content;
};

namespace {

/// What O_PATH opens can't be read.
FileRequest::For opened_for(std::uint64_t flags) {
  return (flags & O_PATH) != 0 ? FileRequest::For::look : FileRequest::For::content;
}

constexpr const char* k_overlay = "overlay";

/// The directories that mount(2) shows elsewhere: of a bind, and of an overlay those below.
std::vector<FileRequest> mounted_by(pid_t pid, const seccomp_data& call) {
  const std::uint64_t flags = call.args[3];
  const auto shown = [](std::string path) {
    return FileRequest{.path = std::move(path), .what = FileRequest::For::elsewhere};
  };
  if ((flags & (MS_REMOUNT | MS_MOVE)) != 0) return {};
  if ((flags & MS_BIND) != 0) return {shown(text_of(pid, call.args[0]))};
  if (text_of(pid, call.args[2]) != k_overlay) return {};
  constexpr std::string_view below = "lowerdir=";
  std::vector<FileRequest> requests;
  for (const std::string& option : split(text_of(pid, call.args[4]), ',')) {
    if (!option.starts_with(below)) continue;
    for (std::string& path : split(option.substr(below.size()), ':')) requests.push_back(shown(std::move(path)));
  }
  return requests;
}

FileRequest request_of(const seccomp_notif& call) {
  const auto pid = static_cast<pid_t>(call.pid);
  const auto number = static_cast<std::uint32_t>(call.data.nr);
  for (const WatchedCalls& calls : k_watched_calls) {
    if (call.data.arch != calls.architecture) continue;
    const auto is_one_of = [&](const auto& numbers) {
      return std::find(numbers.begin(), numbers.end(), number) != numbers.end();
    };
    const auto at = [&](FileRequest::For what) -> FileRequest {
      return {text_of(pid, call.data.args[1]), static_cast<int>(call.data.args[0]), what};
    };
    if (number == calls.run) return {.path = text_of(pid, call.data.args[0]), .what = FileRequest::For::run};
    if (calls.open != 0 && number == calls.open)
      return {.path = text_of(pid, call.data.args[0]), .what = opened_for(call.data.args[1])};
    if (number == calls.open_at) return at(opened_for(call.data.args[2]));
    if (number == calls.open_at_2)
      return at(opened_for(get_le<std::uint64_t>(memory_of(pid, call.data.args[2], sizeof(std::uint64_t)), 0)));
    if (number == calls.run_at) return at(FileRequest::For::run);
    if (number == calls.open_tree && (call.data.args[2] & OPEN_TREE_CLONE) != 0) {
      FileRequest request = at(FileRequest::For::elsewhere);
      if (request.path.empty()) request.path = ".";  // what is open already
      return request;
    }
    if (number == calls.change_root) {
      std::string root = text_of(pid, call.data.args[0]);
      return {.path = root == "/" ? "" : root, .what = FileRequest::For::elsewhere};  // "/" hides nothing
    }
    if (is_one_of(calls.ask_at)) return at(FileRequest::For::look);
    if (is_one_of(calls.ask)) return {.path = text_of(pid, call.data.args[0]), .what = FileRequest::For::look};
  }
  return {};
}

/// All that the call is about.
std::vector<FileRequest> requests_of(const seccomp_notif& call) {
  const auto pid = static_cast<pid_t>(call.pid);
  const auto number = static_cast<std::uint32_t>(call.data.nr);
  for (const WatchedCalls& calls : k_watched_calls) {
    if (call.data.arch == calls.architecture && number == calls.mount) return mounted_by(pid, call.data);
    if (call.data.arch == calls.architecture && number == calls.open_file_system) {
      const bool is_overlay = text_of(pid, call.data.args[0]) == k_overlay;  // what is below is told later, by words
      return is_overlay ? std::vector<FileRequest>{{.path = "/", .what = FileRequest::For::elsewhere}}
                        : std::vector<FileRequest>();
    }
  }
  return {request_of(call)};
}

/// The operating system's, the sandbox's own, and what no step's result comes of.
constexpr std::array<std::string_view, 19> k_not_told = {
    "/usr/",       "/lib/",     "/lib32/",        "/lib64/",       "/libx32/",     "/bin/",    "/sbin/",
    "/boot/",      "/proc/",    "/sys/",          "/dev/",         "/run/",        "/hearth/", "/.builder/",
    "/var/cache/", "/var/log/", "/var/lib/dpkg/", "/var/lib/apt/", "/var/lib/rpm/"};
/// Of /etc what libraries read whatever a program is about, and what the sandbox covers.
constexpr std::array<std::string_view, 20> k_not_told_of_etc = {
    "ld.so.cache/", "ld.so.preload/", "nsswitch.conf/", "passwd/",    "group/",
    "hosts/",       "host.conf/",     "resolv.conf/",   "gai.conf/",  "services/",
    "protocols/",   "shadow/",        "shadow-/",       "gshadow/",   "gshadow-/",
    "krb5.keytab/", "ssl/",           "ssh/",           "wireguard/", "NetworkManager/system-connections/"};
constexpr const char* k_mounts = "/proc/self/mountinfo";
constexpr std::size_t k_event_bytes = std::size_t{16} << 10U;
constexpr std::size_t k_longest_first_line = 256;  ///< that the kernel looks at
/// Where links of /etc lead to that the kernel and services fill: /etc/mtab is one.
constexpr std::array<std::string_view, 4> k_filled_while_running = {"/proc/", "/sys/", "/dev/", "/run/"};

template <std::size_t count>
bool is_below_one_of(const std::array<std::string_view, count>& directories, std::string_view path) {
  const std::string whole = cat(path, "/");
  return std::any_of(directories.begin(), directories.end(),
                     [&](std::string_view directory) { return whole.starts_with(directory); });
}

bool is_told(const std::string& path) {
  constexpr std::string_view etc = "/etc/";
  if (path == "/" || is_below_one_of(k_not_told, path)) return false;
  if (!path.starts_with(etc)) return true;
  const std::string_view inner = std::string_view(path).substr(etc.size());
  return !is_below_one_of(k_not_told_of_etc, inner);
}

/// The program that the kernel runs a script with; empty when this is none. Nobody opens it.
fs::path interpreter_of(const fs::path& program) try {
  const Fd file = Fd::open(program.string(), O_RDONLY | O_NONBLOCK);  // it may be a pipe
  std::string line(k_longest_first_line, '\0');
  const ssize_t got = ::read(file.get(), line.data(), line.size());
  line.resize(got < 0 ? 0 : static_cast<std::size_t>(got));
  if (!line.starts_with("#!")) return {};
  const std::vector<std::string> words = split_words(line.substr(2, line.find('\n') - 2));
  return words.empty() ? fs::path() : fs::path(words.front()).lexically_normal();
} catch (const Error&) {  // it is not there, or is only to be run
  return {};
}

/// Where a path below a link of /proc leads (`/proc/self/root/x`): each process has others.
fs::path behind_proc(const fs::path& path, const std::string& proc) {
  auto part = std::next(path.begin(), 2);  // "/", "proc"
  const std::string whose = part->string();
  const bool is_self = whose == "self" || whose == "thread-self";
  const fs::path directory = is_self ? fs::path(proc) : fs::path("/proc") / whose;
  if (!is_self && !parse_number(whose)) return path;
  fs::path link = directory;
  for (++part; part != path.end() && link.filename() != "root" && link.filename() != "cwd" &&
               link.parent_path() != directory / "fd";
       ++part)
    link /= *part;
  boost::system::error_code failed;
  fs::path place = fs::read_symlink(link, failed);
  if (failed || !place.is_absolute()) return path;
  for (; part != path.end(); ++part) place /= *part;
  return place;
}

/// The path without "." and "..". What is above a link's target is not above the link; such links are given to
/// `found`.
fs::path without_dots(const fs::path& path, const std::function<void(const fs::path&)>& found) {
  fs::path plain;
  for (const fs::path& part : path) {
    if (part == ".") continue;
    if (part != "..") {
      plain /= part;
      continue;
    }
    boost::system::error_code failed;
    const fs::path real = fs::canonical(plain, failed);
    if (!failed && real != plain) found(plain);
    plain = failed ? plain.parent_path() : real.parent_path();
  }
  return plain;
}

/// Mounts whose files a program tells of, by the kernel's numbers.
std::set<std::string> served_mounts() {
  std::set<std::string> mounts;
  for (const std::string& line : split_lines(RealFileSystem().read(k_mounts).value_or(""))) {
    if (line.find(" - fuse") != std::string::npos) mounts.insert(line.substr(0, line.find(' ')));
  }
  return mounts;
}

bool has_proc_of_its_own() {
  boost::system::error_code failed;
  return fs::read_symlink("/proc/self", failed) == std::to_string(::getpid());
}

/// Where a /proc that is not ours tells of this process of ours: a container may have forbidden one of our own.
std::string found_in_proc(pid_t pid) {
  boost::system::error_code failed;
  const fs::path mine = fs::read_symlink("/proc/self/ns/pid", failed);
  const RealFileSystem files;
  for (const std::string& name : files.list("/proc")) {
    if (!parse_number(name) || fs::read_symlink(cat("/proc/", name, "/ns/pid"), failed) != mine) continue;
    for (const std::string& line : split_lines(files.read(cat("/proc/", name, "/status")).value_or(""))) {
      if (!line.starts_with("NSpid:")) continue;
      const std::vector<std::string> numbers = split_words(line);
      if (numbers.back() == std::to_string(pid)) return cat("/proc/", name);
    }
  }
  return "/proc/nobody";
}

/// Its answers are noted: by itself (HEARTH_NOTED), or, of apt's methods, by the lists that it keeps.
bool is_noted(const std::string& proc) {
  boost::system::error_code failed;
  const std::string program = fs::read_symlink(cat(proc, "/exe"), failed).string();
  if (program.ends_with("/lib/apt/methods/http") || program.ends_with("/lib/apt/methods/https")) return true;
  const std::string variables = cat(std::string(1, '\0'), RealFileSystem().read(cat(proc, "/environ")).value_or(""));
  static const std::string noted = cat(std::string(1, '\0'), "HEARTH_NOTED=1", std::string(1, '\0'));
  return variables.find(noted) != std::string::npos;
}

}  // namespace

std::string network_address(std::string_view address) {
  std::uint16_t family = 0;
  std::uint16_t port = 0;
  if (address.size() < sizeof(sockaddr_in)) return "";
  std::memcpy(&family, address.data(), sizeof family);
  std::memcpy(&port, address.data() + offsetof(sockaddr_in, sin_port), sizeof port);
  port = ntohs(port);
  if (port == 0 || port == k_dns) return "";
  std::array<char, INET6_ADDRSTRLEN> text{};
  if (family == AF_INET) {
    ::inet_ntop(AF_INET, address.data() + offsetof(sockaddr_in, sin_addr), text.data(), text.size());
    return cat(text.data(), ":", port);
  }
  if (family != AF_INET6 || address.size() < offsetof(sockaddr_in6, sin6_addr) + sizeof(in6_addr)) return "";
  ::inet_ntop(AF_INET6, address.data() + offsetof(sockaddr_in6, sin6_addr), text.data(), text.size());
  return cat("[", text.data(), "]:", port);
}

std::vector<StepWatch::KnownCopy> StepWatch::looked_at(const std::vector<Copy>& copies) {
  std::vector<KnownCopy> known;
  for (const auto& [directory, written] : copies) {
    KnownCopy copy{.directory = directory, .written = written, .machines = {}};
    boost::system::error_code failed;
    for (fs::directory_iterator entry(directory, failed); !failed && entry != fs::directory_iterator();
         entry.increment(failed)) {
      copy.machines.insert(entry->path().filename().string());
    }
    known.push_back(std::move(copy));
  }
  return known;
}

StepWatch::Listings::Listings(const std::vector<Copy>& copies) : events_(::inotify_init1(IN_CLOEXEC | IN_NONBLOCK)) {
  for (const auto& [directory, written] : copies) {
    all_.insert(directory.string());
    const int number = ::inotify_add_watch(events_.get(), directory.c_str(), IN_ACCESS | IN_ONLYDIR);
    if (number >= 0) watched_[number] = directory.string();
  }
}

std::set<std::string> StepWatch::Listings::take() {
  std::set<std::string> listed = all_;
  for (const auto& [number, directory] : watched_) listed.erase(directory);
  alignas(inotify_event) std::array<char, k_event_bytes> buffer{};
  while (true) {
    const ssize_t size = ::read(events_.get(), buffer.data(), buffer.size());
    if (size < 0 && errno == EINTR) continue;
    if (size <= 0) return listed;
    for (ssize_t at = 0; at < size;) {
      const auto* event = reinterpret_cast<const inotify_event*>(buffer.data() + at);
      if ((event->mask & IN_Q_OVERFLOW) != 0) listed = all_;
      if (event->len == 0 && watched_.count(event->wd) > 0) listed.insert(watched_.at(event->wd));  // else of an entry
      at += static_cast<ssize_t>(sizeof(inotify_event) + event->len);
    }
  }
}

StepWatch::StepWatch(Network network, const std::vector<Copy>& copies, Look look, Stamp stamp)
    : network_(network),
      copies_(looked_at(copies)),
      listings_(copies),
      look_(std::move(look)),
      stamp_(std::move(stamp)),
      has_own_proc_(has_proc_of_its_own()),
      mounts_(Fd::open(k_mounts, O_RDONLY)),
      served_before_(served_mounts()),
      news_(Pipe::create()),
      thread_([this] { serve(); }) {}

StepWatch::~StepWatch() {
  news_.write = Fd();
  thread_.join();
}

void StepWatch::watch_this_thread() {
  const bool network = network_ == Network::watched;
  if (!network && !watches_reads_) return;
  Fd listener = install_filter(filter_for(network, watches_reads_));
  const std::lock_guard lock(mutex_);
  if (!listener) {
    why_not_ = cat("nobody can tell on this machine what it read and whether it used the network (seccomp: ",
                   std::strerror(errno), ")");
    return;
  }
  new_listeners_.push_back(std::move(listener));
  write_all(news_.write, "l", "the pipe to the watch");
}

void StepWatch::serve() {
  std::vector<Fd> listeners;
  while (true) {
    std::vector<pollfd> waited = {{news_.read.get(), POLLIN, 0}};
    for (const Fd& listener : listeners) waited.push_back({listener.get(), POLLIN, 0});
    if (::poll(waited.data(), waited.size(), -1) < 0) continue;  // EINTR
    for (std::size_t i = listeners.size(); i > 0; --i) {
      if ((waited[i].revents & POLLIN) != 0) {
        answer(listeners[i - 1]);
      } else if (waited[i].revents != 0) {  // nobody is left
        listeners.erase(listeners.begin() + static_cast<std::ptrdiff_t>(i - 1));
      }
    }
    if (waited[0].revents == 0) continue;
    char news = 0;
    if (::read(news_.read.get(), &news, 1) != 1) return;
    const std::lock_guard lock(mutex_);
    for (Fd& listener : new_listeners_) listeners.push_back(std::move(listener));
    new_listeners_.clear();
  }
}

void StepWatch::answer(const Fd& listener) {
  seccomp_notif call{};
  if (::ioctl(listener.get(), SECCOMP_IOCTL_NOTIF_RECV, &call) != 0) return;  // it died meanwhile
  try {
    look_at(call);
  } catch (const std::exception& error) {
    const std::lock_guard lock(mutex_);
    found_.insert(cat("a program did what nobody could see (", error.what(), ")"));
  }
  seccomp_notif_resp answer{};
  answer.id = call.id;
  answer.flags = SECCOMP_USER_NOTIF_FLAG_CONTINUE;
  (void)::ioctl(listener.get(), SECCOMP_IOCTL_NOTIF_SEND, &answer);
}

void StepWatch::look_at(const seccomp_notif& call) {
  const std::string address = network_address(named_address(call));
  if (address.empty()) return look_at_path(call);
  const std::string proc = proc_of(call);
  const std::string own = cat("\nTgid:\t", ::getpid(), "\n");
  if (RealFileSystem().read(cat(proc, "/status")).value_or("").find(own) != std::string::npos || is_noted(proc)) return;
  const std::string name(trim(RealFileSystem().read(cat(proc, "/comm")).value_or("a program")));
  const std::lock_guard lock(mutex_);
  found_.insert(cat(name, " reached ", address));
}

std::string StepWatch::proc_of(const seccomp_notif& call) const {
  return has_own_proc_ ? cat("/proc/", call.pid) : found_in_proc(static_cast<pid_t>(call.pid));
}

/// What hooks wrote to a copy of a directory of the machine, and all that is below a directory that they made there.
bool StepWatch::is_hooks_own(const fs::path& path) const {
  return std::any_of(copies_.begin(), copies_.end(), [&](const auto& copy) {
    const fs::path inner = path.lexically_relative(copy.directory);
    if (inner.empty() || inner == "." || *inner.begin() == "..") return false;
    const fs::path first = *inner.begin();
    const bool is_made = copy.machines.count(first.string()) == 0;
    return fs::exists(fs::symlink_status(copy.written / (is_made ? first : inner)));
  });
}

bool StepWatch::is_known_look(const fs::path& path) {
  const std::lock_guard lock(mutex_);
  return looks_.count(path.string()) > 0;
}

void StepWatch::look_at_path(const seccomp_notif& call) {
  if (serves_files()) {
    const std::lock_guard lock(mutex_);
    found_.insert("while a program of it served a file system (FUSE), nobody could tell what it read");
    return;
  }
  for (FileRequest& request : requests_of(call)) look_at_request(call, std::move(request));
}

void StepWatch::look_at_request(const seccomp_notif& call, FileRequest request) {
  const bool is_absolute = request.path.starts_with('/');
  if (is_absolute) request.path.erase(0, request.path.find_first_not_of('/') - 1);  // "//a" is a name of its own to fs
  const bool is_of_proc = request.path.starts_with("/proc/");
  if (request.path.empty()) return;
  const bool is_shown = request.what == FileRequest::For::elsewhere;
  if (is_absolute && !is_of_proc && !is_shown && !is_told(fs::path(request.path).lexically_normal().string())) return;
  const std::string proc = proc_of(call);
  boost::system::error_code failed;
  const fs::path base = request.directory == AT_FDCWD ? cat(proc, "/cwd") : cat(proc, "/fd/", request.directory);
  const fs::path begin = is_absolute ? fs::path() : fs::read_symlink(base, failed);
  if (failed) return;
  const auto is_ours = [&] {
    return fs::read_symlink(cat(proc, "/root"), failed) != "/" || fs::exists(cat("/proc/self/task/", call.pid));
  };
  const fs::path given = begin / request.path;
  std::vector<fs::path> links;
  fs::path path = without_dots(given.string().starts_with("/proc/") ? behind_proc(given, proc) : given,
                               [&](const fs::path& link) { links.push_back(link); });
  if (path.filename().empty()) path = path.parent_path();
  if (is_hooks_own(path)) {  // a link that they made may lead to what is the machine's
    const fs::path real = fs::weakly_canonical(path, failed);
    if (!failed) path = real;
  }
  if (is_shown) return is_ours() ? void() : note_shown_elsewhere(path);
  const bool is_known = request.what == FileRequest::For::look && is_known_look(path);
  if (!is_told(path.string()) || is_known || is_ours()) return;
  for (const fs::path& link : links) note_look(link);
  if (request.what == FileRequest::For::look) return note_look(path);
  note_content(path);
  const fs::path interpreter = request.what == FileRequest::For::run ? interpreter_of(path) : fs::path();
  if (interpreter.is_absolute() && is_told(interpreter.string())) note_content(interpreter);
}

/// Whoever asks in such a file system waits for its program, and that, for its own questions, for this watch, which
/// must not ask there, then.
bool StepWatch::serves_files() {
  pollfd changed{mounts_.get(), POLLPRI, 0};
  if (::poll(&changed, 1, 0) > 0) {
    const std::set<std::string> now = served_mounts();
    serves_files_ = !std::includes(served_before_.begin(), served_before_.end(), now.begin(), now.end());
  }
  return serves_files_;
}

bool StepWatch::counts(const fs::path& path) const {
  boost::system::error_code failed;
  return !is_hooks_own(path) && !is_below_one_of(k_filled_while_running, fs::weakly_canonical(path, failed).string());
}

void StepWatch::note_content(const fs::path& path) {
  boost::system::error_code failed;
  const fs::file_status status = fs::status(path, failed);
  if (!fs::is_regular_file(status) && !fs::is_directory(status)) return note_look(path);
  if (!counts(path)) return;
  const bool is_written =
      fs::is_directory(status) && std::any_of(copies_.begin(), copies_.end(), [&](const auto& copy) {
        return path == copy.directory || path.string().starts_with(cat(copy.directory.string(), "/"));
      });
  const std::lock_guard lock(mutex_);
  if (const auto [read, is_new] = reads_.try_emplace(path.string()); is_new && stamp_ && !is_written)
    read->second = stamp_(path);
}

/// A bind mount of the machine's whole tree shows all.
void StepWatch::note_shown_elsewhere(const fs::path& path) {
  boost::system::error_code failed;
  const fs::path real = fs::weakly_canonical(path, failed);
  if (failed || (real != "/" && !is_told(real.string())) || !counts(path)) return;
  const std::lock_guard lock(mutex_);
  shown_.insert(real.string());
}

void StepWatch::note_look(const fs::path& path) {
  if (is_known_look(path) || !counts(path)) return;
  const std::optional<std::string> look = look_ ? look_(path) : std::nullopt;
  const std::lock_guard lock(mutex_);
  if (look) looks_.try_emplace(path.string(), *look);
}
std::vector<std::string> StepWatch::take() {
  const std::lock_guard lock(mutex_);
  if (!why_not_.empty()) return {why_not_};
  std::vector<std::string> found(found_.begin(), found_.end());
  found_.clear();
  return found;
}

std::map<std::string, std::string> StepWatch::take_reads() {
  const std::lock_guard lock(mutex_);
  const std::set<std::string> listed = listings_.take();
  for (const KnownCopy& copy : copies_) {
    if (listed.count(copy.directory.string()) == 0) reads_.erase(copy.directory.string());
  }
  return std::exchange(reads_, {});
}

std::set<std::string> StepWatch::take_shown_elsewhere() {
  const std::lock_guard lock(mutex_);
  return std::exchange(shown_, {});
}

std::map<std::string, std::string> StepWatch::take_looks() {
  const std::lock_guard lock(mutex_);
  return std::exchange(looks_, {});
}

}  // namespace hearth::builder
