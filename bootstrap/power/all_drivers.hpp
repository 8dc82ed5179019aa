// All power drivers of this program.
#pragma once

#include <atomic>
#include <functional>
#include <memory>
#include <utility>

#include "base/clock.hpp"
#include "base/path.hpp"
#include "bootstrap/power/driver.hpp"

namespace hearth::bootstrap {

/// Until when BMCs are asked, by whatever began before: of a process that must end; and not while `rests` says so. From
/// any thread.
class Curfew {
 public:
  explicit Curfew(std::function<bool()> rests = {}) : rests_(std::move(rests)) {}
  void set(MonotonicTime at) { at_ = at; }
  /// Throws Error where nobody is to be asked now.
  [[nodiscard]] Deadline limit(const Deadline& deadline) const;

 private:
  std::function<bool()> rests_;
  std::atomic<MonotonicTime> at_ = MonotonicTime::max();
};

/// `directory`: where drivers keep what must outlive the process (QEMU's sockets).
[[nodiscard]] Drivers all_drivers(const fs::path& directory, std::shared_ptr<const Curfew> curfew);

}  // namespace hearth::bootstrap
