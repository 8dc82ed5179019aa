#include "builder/sandbox/network_watch.hpp"

#include <arpa/inet.h>
#include <linux/audit.h>
#include <linux/filter.h>
#include <linux/seccomp.h>
#include <poll.h>
#include <sys/ioctl.h>
#include <sys/syscall.h>
#include <sys/uio.h>
#include <unistd.h>

#include <array>
#include <cstddef>
#include <cstring>
#include <optional>

#include "base/error.hpp"
#include "base/sys/file.hpp"
#include "base/text.hpp"

#ifndef SECCOMP_FILTER_FLAG_WAIT_KILLABLE_RECV
#define SECCOMP_FILTER_FLAG_WAIT_KILLABLE_RECV (1UL << 5)
#endif

namespace hearth::builder {

namespace {

/// Calls that name another socket, by one architecture's numbers.
struct AddressCalls {
  std::uint32_t architecture;
  std::uint32_t connect;
  std::uint32_t send_to;
  std::uint32_t send_message;
  std::uint32_t send_messages;
  std::uint32_t socket_call;  ///< i386's one call for all of them; 0 = none
  std::size_t pointer;        ///< bytes
};

#if defined(__x86_64__)
constexpr std::array<AddressCalls, 2> k_address_calls = {
    {{AUDIT_ARCH_X86_64, SYS_connect, SYS_sendto, SYS_sendmsg, SYS_sendmmsg, 0, 8},
     {AUDIT_ARCH_I386, 362, 369, 370, 345, 102, 4}}};
#elif defined(__aarch64__)
constexpr std::array<AddressCalls, 2> k_address_calls = {
    {{AUDIT_ARCH_AARCH64, SYS_connect, SYS_sendto, SYS_sendmsg, SYS_sendmmsg, 0, 8},
     {AUDIT_ARCH_ARM, 283, 290, 296, 374, 0, 4}}};
#else
#error "name the architecture of system calls here"
#endif

constexpr std::uint64_t k_socket_connect = 3;  // socketcall(2)
constexpr std::uint64_t k_socket_send_to = 11;
constexpr std::uint64_t k_longest_address = 128;
constexpr std::uint16_t k_dns = 53;

std::vector<sock_filter> address_filter() {
  std::vector<sock_filter> program;
  const auto add = [&](std::uint16_t code, std::uint32_t value, std::size_t if_true = 0, std::size_t if_not = 0) {
    program.push_back({code, static_cast<std::uint8_t>(if_true), static_cast<std::uint8_t>(if_not), value});
  };
  for (const AddressCalls& calls : k_address_calls) {
    std::vector<std::uint32_t> numbers = {calls.connect, calls.send_to, calls.send_message, calls.send_messages};
    if (calls.socket_call != 0) numbers.push_back(calls.socket_call);
    add(BPF_LD | BPF_W | BPF_ABS, offsetof(seccomp_data, arch));
    add(BPF_JMP | BPF_JEQ | BPF_K, calls.architecture, 0, 2 * numbers.size() + 2);
    add(BPF_LD | BPF_W | BPF_ABS, offsetof(seccomp_data, nr));
    for (const std::uint32_t number : numbers) {
      add(BPF_JMP | BPF_JEQ | BPF_K, number, 0, 1);
      add(BPF_RET | BPF_K, SECCOMP_RET_USER_NOTIF);
    }
    add(BPF_RET | BPF_K, SECCOMP_RET_ALLOW);
  }
  add(BPF_RET | BPF_K, SECCOMP_RET_ALLOW);
  return program;
}

Fd install_filter() {
  std::vector<sock_filter> program = address_filter();
  const sock_fprog filter{static_cast<unsigned short>(program.size()), program.data()};
  const auto install = [&](unsigned long flags) {
    return static_cast<int>(::syscall(SYS_seccomp, SECCOMP_SET_MODE_FILTER, flags, &filter));
  };
  int fd = install(SECCOMP_FILTER_FLAG_NEW_LISTENER | SECCOMP_FILTER_FLAG_WAIT_KILLABLE_RECV);
  if (fd < 0 && errno == EINVAL) fd = install(SECCOMP_FILTER_FLAG_NEW_LISTENER);  // Linux before 5.19
  return Fd(fd);
}

/// Of another process's memory; fewer bytes where there are no more.
std::string memory_of(pid_t pid, std::uint64_t address, std::uint64_t size) {
  std::string bytes(size, '\0');
  const iovec here{bytes.data(), bytes.size()};
  const iovec there{reinterpret_cast<void*>(address), bytes.size()};  // NOLINT(performance-no-int-to-ptr)
  const ssize_t got = ::process_vm_readv(pid, &here, 1, &there, 1, 0);
  bytes.resize(got < 0 ? 0 : static_cast<std::size_t>(got));
  return bytes;
}

std::uint64_t number_at(const std::string& bytes, std::size_t index, std::size_t size) {
  std::uint64_t number = 0;
  if (bytes.size() >= (index + 1) * size) std::memcpy(&number, bytes.data() + index * size, size);
  return number;
}

/// The address that the call names; empty when it names none.
std::string named_address(const seccomp_notif& call) {
  const auto pid = static_cast<pid_t>(call.pid);
  const seccomp_data& data = call.data;
  for (const AddressCalls& calls : k_address_calls) {
    if (data.arch != calls.architecture) continue;
    const auto number = static_cast<std::uint32_t>(data.nr);
    std::uint64_t address = 0;
    std::uint64_t size = 0;
    if (number == calls.connect) address = data.args[1], size = data.args[2];
    if (number == calls.send_to) address = data.args[4], size = data.args[5];
    if (number == calls.send_message || number == calls.send_messages) {
      const std::string header = memory_of(pid, data.args[1], 2 * calls.pointer);
      address = number_at(header, 0, calls.pointer);
      std::uint32_t length = 0;
      if (header.size() >= calls.pointer + sizeof length)
        std::memcpy(&length, header.data() + calls.pointer, sizeof length);
      size = length;
    }
    if (calls.socket_call != 0 && number == calls.socket_call) {
      const std::string words = memory_of(pid, data.args[1], 6 * calls.pointer);
      const bool connects = data.args[0] == k_socket_connect;
      if (!connects && data.args[0] != k_socket_send_to) return "";
      address = number_at(words, connects ? 1 : 4, calls.pointer);
      size = number_at(words, connects ? 2 : 5, calls.pointer);
    }
    return address == 0 || size == 0 ? "" : memory_of(pid, address, std::min(size, k_longest_address));
  }
  return "";
}

/// Where /proc tells of this process of ours: a container may have forbidden a /proc of our own.
std::string proc_of(pid_t pid) {
  boost::system::error_code failed;
  if (fs::read_symlink("/proc/self", failed) == std::to_string(::getpid())) return cat("/proc/", pid);
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

NetworkWatch::NetworkWatch() : listener_(install_filter()), stop_(Pipe::create()) {
  if (!listener_) {
    why_not_ = cat("nobody can tell on this machine whether it used the network (seccomp: ", std::strerror(errno), ")");
    return;
  }
  thread_ = std::thread([this] { serve(); });
}

NetworkWatch::~NetworkWatch() {
  stop_.write = Fd();
  if (thread_.joinable()) thread_.join();
}

void NetworkWatch::serve() {
  while (true) {
    std::array<pollfd, 2> waited = {{{listener_.get(), POLLIN, 0}, {stop_.read.get(), POLLIN, 0}}};
    if (::poll(waited.data(), waited.size(), -1) < 0 && errno == EINTR) continue;
    if (waited[1].revents != 0) return;
    if ((waited[0].revents & POLLIN) == 0) return;  // nobody is left
    seccomp_notif call{};
    if (::ioctl(listener_.get(), SECCOMP_IOCTL_NOTIF_RECV, &call) != 0) continue;  // it died meanwhile
    try {
      look_at(call);
    } catch (const std::exception& error) {
      const std::lock_guard lock(mutex_);
      found_.insert(cat("a program used the network (", error.what(), ")"));
    }
    seccomp_notif_resp answer{};
    answer.id = call.id;
    answer.flags = SECCOMP_USER_NOTIF_FLAG_CONTINUE;
    (void)::ioctl(listener_.get(), SECCOMP_IOCTL_NOTIF_SEND, &answer);
  }
}

void NetworkWatch::look_at(const seccomp_notif& call) {
  const std::string address = network_address(named_address(call));
  if (address.empty()) return;
  const std::string proc = proc_of(static_cast<pid_t>(call.pid));
  const std::string own = cat("\nTgid:\t", ::getpid(), "\n");
  if (RealFileSystem().read(cat(proc, "/status")).value_or("").find(own) != std::string::npos || is_noted(proc)) return;
  const std::string name(trim(RealFileSystem().read(cat(proc, "/comm")).value_or("a program")));
  const std::lock_guard lock(mutex_);
  found_.insert(cat(name, " reached ", address));
}

std::vector<std::string> NetworkWatch::take() {
  if (!why_not_.empty()) return {why_not_};
  const std::lock_guard lock(mutex_);
  std::vector<std::string> found(found_.begin(), found_.end());
  found_.clear();
  return found;
}

}  // namespace hearth::builder
