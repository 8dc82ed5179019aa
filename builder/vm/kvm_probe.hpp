// Whether KVM is of use here. A readable /dev/kvm proves nothing: on some nested hosts guests hang or abort, most of
// them or only some, or are many times slower than emulated ones, or run with a lesser processor than the machines
// get. So guests of one boot sector race an emulated one: each must see the timer tick and say a byte on its serial
// line in the time that this took; the answer holds until the next boot of this host.
#pragma once

#include <string>

#include "base/clock.hpp"
#include "base/path.hpp"

namespace hearth::builder::vm {

struct KvmVerdict {
  bool works = false;
  std::string reason;  ///< why not; empty when it works
  bool operator==(const KvmVerdict&) const = default;
};

struct KvmProbe {
  std::string program = "qemu-system-x86_64";
  std::string accelerator = "kvm";
  fs::path device = "/dev/kvm";  ///< must be readable and writable; empty = not asked
  int patience = 1;              ///< how many times as long as an emulated guest one with KVM may take
};

/// Runs an emulated guest (at most 30 s), then three with KVM, up to the first that fails. Leaves no process behind;
/// killing QEMU takes at most two seconds more for each.
[[nodiscard]] KvmVerdict probe_kvm(const KvmProbe& probe, const fs::path& scratch, const Clock& clock);

/// The answer for this boot of the host (`boot_id`, see current_boot_id()) from `cache_directory`/kvm-host-probe, or a
/// fresh one that is kept there. A cache that can't be written is no error.
[[nodiscard]] KvmVerdict cached_kvm_verdict(const KvmProbe& probe, const fs::path& cache_directory,
                                            const std::string& boot_id, const fs::path& scratch, const Clock& clock);

/// /proc/sys/kernel/random/boot_id, trimmed; empty when there is none.
[[nodiscard]] std::string current_boot_id();

/// The boot sector (512 bytes): waits for timer ticks, writes 'K' to the first serial port, then halts.
[[nodiscard]] std::string probe_boot_sector();

}  // namespace hearth::builder::vm
