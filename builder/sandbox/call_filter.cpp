#include "builder/sandbox/call_filter.hpp"

#include <asm/ioctls.h>
#include <linux/audit.h>
#include <linux/filter.h>
#include <linux/seccomp.h>
#include <sys/socket.h>
#include <sys/syscall.h>
#include <unistd.h>

#include <cerrno>
#include <cstddef>
#include <cstdint>
#include <future>
#include <vector>

#include "base/error.hpp"

namespace hearth::builder {

namespace {

using Program = std::vector<sock_filter>;

/// The calls of one architecture, by its numbers.
struct CallTable {
  std::uint32_t architecture = 0;
  std::uint32_t ioctl = 0;
  std::uint32_t socket = 0;
  std::vector<std::uint32_t> not_permitted;
  std::vector<std::uint32_t> no_such_call;
  std::vector<std::uint32_t> syncs;
};

#if defined(__x86_64__)
constexpr std::uint32_t k_native = AUDIT_ARCH_X86_64;
#elif defined(__aarch64__)
constexpr std::uint32_t k_native = AUDIT_ARCH_AARCH64;
#else
#error "name the architecture of system calls here"
#endif

CallTable native_calls() {
  return {.architecture = k_native,
          .ioctl = SYS_ioctl,
          .socket = SYS_socket,
          .not_permitted = {SYS_kexec_load, SYS_kexec_file_load, SYS_init_module, SYS_finit_module, SYS_delete_module,
                            SYS_bpf, SYS_perf_event_open, SYS_open_by_handle_at, SYS_swapon, SYS_swapoff, SYS_reboot,
                            SYS_acct, SYS_settimeofday, SYS_clock_settime, SYS_quotactl},
          .no_such_call = {SYS_add_key, SYS_request_key, SYS_keyctl, SYS_userfaultfd, SYS_io_uring_setup,
                           SYS_io_uring_enter, SYS_io_uring_register},
          .syncs = {SYS_fsync, SYS_fdatasync, SYS_sync, SYS_syncfs, SYS_sync_file_range}};
}

/// The same for 32-bit programs (an i386 image is built by an amd64 kernel; likewise armhf): asm/unistd_32.h, and Arm's
/// asm/unistd.h.
CallTable small_calls() {
#if defined(__x86_64__)
  return {.architecture = AUDIT_ARCH_I386,
          .ioctl = 54,
          .socket = 359,
          .not_permitted = {283, 128, 350, 129, 357, 336, 342, 87, 115, 88, 51, 79, 264, 404, 131},
          .no_such_call = {286, 287, 288, 374, 425, 426, 427},
          .syncs = {118, 148, 36, 344, 314}};
#else
  return {.architecture = AUDIT_ARCH_ARM,
          .ioctl = 54,
          .socket = 281,
          .not_permitted = {347, 401, 128, 379, 129, 386, 364, 371, 87, 115, 88, 51, 79, 262, 404, 131},
          .no_such_call = {309, 310, 311, 388, 425, 426, 427},
          .syncs = {118, 148, 36, 373, 341}};
#endif
}

void add(Program& program, std::uint16_t code, std::uint32_t value, std::uint8_t if_true = 0, std::uint8_t if_not = 0) {
  program.push_back({code, if_true, if_not, value});
}

void load(Program& program, std::size_t offset) {
  add(program, BPF_LD | BPF_W | BPF_ABS, static_cast<std::uint32_t>(offset));
}

/// With the value that was loaded last.
void refuse_if(Program& program, std::uint32_t value, int error_number) {
  add(program, BPF_JMP | BPF_JEQ | BPF_K, value, 0, 1);
  add(program, BPF_RET | BPF_K, SECCOMP_RET_ERRNO | static_cast<std::uint32_t>(error_number));
}

/// Families that a network namespace divides, and what has no other side. Of others some reach who runs this machine
/// as a guest (AF_VSOCK), or its devices.
Program socket_rules() {
  Program rules;
  load(rules, offsetof(seccomp_data, args));
  for (const std::uint32_t family : {AF_UNIX, AF_INET, AF_INET6, AF_NETLINK, AF_PACKET, AF_ALG}) {
    add(rules, BPF_JMP | BPF_JEQ | BPF_K, family, 0, 1);
    add(rules, BPF_RET | BPF_K, SECCOMP_RET_ALLOW);
  }
  add(rules, BPF_RET | BPF_K, SECCOMP_RET_ERRNO | EAFNOSUPPORT);
  return rules;
}

Program rules_of(const CallTable& calls) {
  const Program sockets = socket_rules();
  Program rules;
  load(rules, offsetof(seccomp_data, nr));
#if defined(__x86_64__)
  if (calls.architecture == AUDIT_ARCH_X86_64) {  // x32: other numbers for the same calls, and nobody's
    add(rules, BPF_JMP | BPF_JGE | BPF_K, 0x40000000U, 0, 1);
    add(rules, BPF_RET | BPF_K, SECCOMP_RET_ERRNO | ENOSYS);
  }
#endif
  for (const std::uint32_t call : calls.not_permitted) refuse_if(rules, call, EPERM);
  for (const std::uint32_t call : calls.no_such_call) refuse_if(rules, call, ENOSYS);
  add(rules, BPF_JMP | BPF_JEQ | BPF_K, calls.socket, 0, static_cast<std::uint8_t>(sockets.size()));
  rules.insert(rules.end(), sockets.begin(), sockets.end());
  add(rules, BPF_JMP | BPF_JEQ | BPF_K, calls.ioctl, 1, 0);
  add(rules, BPF_RET | BPF_K, SECCOMP_RET_ALLOW);
  load(rules, offsetof(seccomp_data, args) + sizeof(std::uint64_t));  // its low half; the kernel reads no more
  refuse_if(rules, TIOCSTI, EPERM);
  refuse_if(rules, TIOCLINUX, EPERM);
  add(rules, BPF_RET | BPF_K, SECCOMP_RET_ALLOW);
  return rules;
}

Program sync_rules_of(const CallTable& calls) {
  Program rules;
  load(rules, offsetof(seccomp_data, nr));
  for (const std::uint32_t call : calls.syncs) refuse_if(rules, call, 0);  // "done"
  add(rules, BPF_RET | BPF_K, SECCOMP_RET_ALLOW);
  return rules;
}

/// For this thread and what it starts from now on. `otherwise` is for an architecture that has no table.
void filter_calls(Program (*rules_for)(const CallTable&), std::uint32_t otherwise) {
  Program program;
  for (const CallTable& calls : {native_calls(), small_calls()}) {
    const Program rules = rules_for(calls);
    load(program, offsetof(seccomp_data, arch));
    add(program, BPF_JMP | BPF_JEQ | BPF_K, calls.architecture, 0, static_cast<std::uint8_t>(rules.size()));
    program.insert(program.end(), rules.begin(), rules.end());
  }
  add(program, BPF_RET | BPF_K, otherwise);
  const sock_fprog filter{static_cast<unsigned short>(program.size()), program.data()};
  if (::syscall(SYS_seccomp, SECCOMP_SET_MODE_FILTER, 0, &filter) != 0) {
    throw Error::from_errno("filtering", "the system calls of hooks");
  }
}

}  // namespace

void refuse_dangerous_calls() { filter_calls(rules_of, SECCOMP_RET_KILL_PROCESS); }

// A filter is a thread's own, and is inherited by what it starts: a thread that lives as long as the program has it.
CommandResult UnsyncedRunner::run(const Command& command) {
  return std::async(std::launch::async,
                    [&] {
                      filter_calls(sync_rules_of, SECCOMP_RET_ALLOW);
                      if (begin_) begin_();
                      return runner_.run(command);
                    })
      .get();
}

}  // namespace hearth::builder
