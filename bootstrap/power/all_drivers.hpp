// All power drivers of this program.
#pragma once

#include <atomic>
#include <memory>

#include "base/clock.hpp"
#include "base/path.hpp"
#include "bootstrap/power/driver.hpp"

namespace hearth::bootstrap {

/// Until when BMCs are asked, by whatever began before: of a process that must end. From any thread.
class Curfew {
 public:
  void set(MonotonicTime at) { at_ = at; }
  [[nodiscard]] Deadline limit(const Deadline& deadline) const { return Deadline::earlier(deadline, Deadline(at_)); }

 private:
  std::atomic<MonotonicTime> at_ = MonotonicTime::max();
};

/// `directory`: where drivers keep what must outlive the process (QEMU's sockets).
[[nodiscard]] Drivers all_drivers(const fs::path& directory, std::shared_ptr<const Curfew> curfew);

}  // namespace hearth::bootstrap
