#include "builder/vm/kvm_probe.hpp"

#include <poll.h>
#include <unistd.h>

#include <csignal>
#include <memory>

#include "base/error.hpp"
#include "base/sys/file.hpp"
#include "base/sys/process.hpp"
#include "base/text.hpp"

namespace hearth::builder::vm {

namespace {

constexpr char k_sign = 'K';
constexpr std::chrono::seconds k_kill_limit(2);
constexpr std::chrono::seconds k_emulated_limit(30);
constexpr int k_guests = 3;  // where KVM is broken, one guest in three was seen to run all the same

std::vector<std::string> probe_argv(const KvmProbe& probe, const std::string& accelerator, const fs::path& disk) {
  const std::string drive = cat("if=ide,format=raw,file=", replace_all(disk.string(), ",", ",,"));
  std::vector<std::string> argv = {probe.program, "-no-user-config", "-nodefaults", "-machine", "pc", "-m", "16"};
  argv.insert(argv.end(), {"-accel", accelerator, "-display", "none", "-nic", "none", "-serial", "stdio"});
  argv.insert(argv.end(), {"-monitor", "none", "-no-reboot", "-drive", drive});
  if (accelerator != "tcg") argv.insert(argv.end(), {"-cpu", "host"});  // as the machines have: qemu_argv()
  return argv;
}

constexpr char k_hung[] = "the guest hung";

/// Reads until the sign comes; the reason why it did not, or an empty text.
std::string wait_for_sign(const Fd& serial, const Deadline& deadline, const Clock& clock) {
  std::string said;
  while (true) {
    pollfd ready{serial.get(), POLLIN, 0};
    const int count = ::poll(&ready, 1, deadline.poll_timeout(clock.now()));
    if (count < 0 && errno == EINTR) continue;
    if (count <= 0) return k_hung;
    char c = 0;
    const ssize_t got = ::read(serial.get(), &c, 1);
    if (got < 0 && errno == EINTR) continue;
    if (got <= 0) return cat("QEMU ended before the guest ran", said.empty() ? "" : ": ", trim(said));
    if (c == k_sign && (said.empty() || said.back() == '\n')) return "";
    if (said.size() < 500) said.push_back(c);
  }
}

/// Kills QEMU. One that is stuck inside the kernel can't be waited for: that must not hang us too.
void end(Child child, const Clock& clock) {
  child.signal(SIGKILL);
  if (child.wait(Deadline::after(k_kill_limit, clock), clock)) return;
  [[maybe_unused]] const Child* const abandoned = std::make_unique<Child>(std::move(child)).release();
}

/// One guest, for at most `limit`. Why it did not run; empty when it did.
std::string run_guest(const KvmProbe& probe, const std::string& accelerator, const fs::path& disk, Duration limit,
                      const Clock& clock) {
  Pipe serial = Pipe::create();
  Child child = Child::spawn(
      {.argv = probe_argv(probe, accelerator, disk), .out = serial.write.get(), .err = serial.write.get()});
  serial.write = Fd();
  std::string reason = wait_for_sign(serial.read, Deadline::after(limit, clock), clock);
  end(std::move(child), clock);
  return reason;
}

/// Guests with KVM in turn, each given as long as the emulated one took. Why one did not run; empty when all did.
std::string run_guests(const KvmProbe& probe, const fs::path& disk, const Clock& clock) {
  const MonotonicTime start = clock.now();
  const std::string emulated = run_guest(probe, "tcg", disk, k_emulated_limit, clock);
  if (!emulated.empty()) return cat("not even an emulated guest runs: ", emulated);
  const Duration limit = (clock.now() - start) * probe.patience;
  for (int guest = 0; guest < k_guests; ++guest) {
    std::string reason = run_guest(probe, probe.accelerator, disk, limit, clock);
    if (reason == k_hung) {
      return cat("a guest said nothing in ", fixed(std::chrono::duration<double>(limit).count(), 1),
                 " s, and an emulated one did");
    }
    if (!reason.empty()) return reason;
  }
  return "";
}

std::string first_line(const std::string& text) { return text.substr(0, text.find('\n')); }

}  // namespace

std::string probe_boot_sector() {
  // sti; mov cx, 3; tick: hlt; loop tick; mov dx, 0x3f8; mov al, 'K'; out dx, al; cli; halt: hlt; jmp halt
  std::string sector(
      "\xfb\xb9\x03\0\xf4\xe2\xfd\xba\xf8\x03\xb0"
      "K"
      "\xee\xfa\xf4\xeb\xfd",
      17);
  sector.resize(510, '\0');
  return sector + "\x55\xaa";
}

KvmVerdict probe_kvm(const KvmProbe& probe, const fs::path& scratch, const Clock& clock) {
  if (!probe.device.empty() && ::access(probe.device.c_str(), R_OK | W_OK) != 0) {
    return {false, cat(probe.device.string(), " is missing or not open to this user")};
  }
  const TempDir work = TempDir::create(scratch, "kvm-probe-");
  const fs::path disk = work.path() / "disk";
  RealFileSystem().write(disk, probe_boot_sector(), {});
  const std::string reason = run_guests(probe, disk, clock);
  return {reason.empty(), reason};
}

KvmVerdict cached_kvm_verdict(const KvmProbe& probe, const fs::path& cache_directory, const std::string& boot_id,
                              const fs::path& scratch, const Clock& clock) {
  RealFileSystem files;
  const fs::path cache = cache_directory / "kvm-host-probe";
  const std::vector<std::string> known = split(first_line(files.read(cache).value_or("")), '\t');
  if (known.size() == 3 && !boot_id.empty() && known[0] == boot_id) return {known[1] == "works", known[2]};
  KvmVerdict verdict = probe_kvm(probe, scratch, clock);
  try {
    files.make_directories(cache_directory, 0755);
    const std::string reason = replace_all(first_line(verdict.reason), "\t", " ");
    files.write(cache, cat(boot_id, "\t", verdict.works ? "works" : "fails", "\t", reason, "\n"), {});
  } catch (const Error&) {  // only a cache: the next call asks again
  }
  return verdict;
}

std::string current_boot_id() {
  return std::string(trim(RealFileSystem().read("/proc/sys/kernel/random/boot_id").value_or("")));
}

}  // namespace hearth::builder::vm
