#include "builder/sandbox/watched_calls.hpp"

#include <fcntl.h>
#include <linux/audit.h>
#include <linux/filter.h>
#include <linux/seccomp.h>
#include <sys/ioctl.h>
#include <sys/mount.h>
#include <sys/syscall.h>
#include <sys/uio.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <cstddef>
#include <string_view>

#include "base/byte_order.hpp"
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
  std::array<std::uint32_t, 5> ask_at;   ///< likewise, from a directory on
  std::array<std::uint32_t, 2> name;     ///< gives a file another name, by which it may be read; 0 = none
  std::array<std::uint32_t, 3> name_at;  ///< likewise, from a directory on
  std::uint32_t mount;                   ///< this and the next ones show a directory elsewhere
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
      {SYS_link, SYS_rename},
      {SYS_linkat, SYS_renameat, SYS_renameat2},
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
      {9, 38},
      {303, 302, 353},
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
      {},
      {SYS_linkat, SYS_renameat, SYS_renameat2},
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
      {9, 38},
      {330, 329, 382},
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
  add_rule(filter, BPF_JMP | BPF_JEQ | BPF_K, number, 0, 7);
  load_word(filter, offsetof(seccomp_data, args) + flags * sizeof(std::uint64_t));  // its low half
  add_rule(filter, BPF_JMP | BPF_JSET | BPF_K, O_PATH, 3, 0);
  add_rule(filter, BPF_JMP | BPF_JSET | BPF_K, O_WRONLY | O_TRUNC | k_nameless, 3, 0);
  add_rule(filter, BPF_JMP | BPF_JSET | BPF_K, O_CREAT, 0, 1);
  add_rule(filter, BPF_JMP | BPF_JSET | BPF_K, O_EXCL, 1, 0);  // without the other one it says nothing of files
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
      for (const std::uint32_t number : calls.name) {
        if (number != 0) tell_of(rules, number);
      }
      for (const std::uint32_t number : calls.name_at) tell_of(rules, number);
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
    if (is_one_of(calls.name_at)) return at(FileRequest::For::name);
    if (is_one_of(calls.name)) return {.path = text_of(pid, call.data.args[0]), .what = FileRequest::For::name};
    if (is_one_of(calls.ask_at)) return at(FileRequest::For::look);
    if (is_one_of(calls.ask)) return {.path = text_of(pid, call.data.args[0]), .what = FileRequest::For::look};
  }
  return {};
}

}  // namespace

Fd watch_calls(bool network, bool reads) { return install_filter(filter_for(network, reads)); }

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

}  // namespace hearth::builder
