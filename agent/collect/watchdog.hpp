// systemd's watchdog (sd_watchdog_enabled(3)): a daemon that polls or waits for too long is started again.
#pragma once

#include <condition_variable>
#include <mutex>
#include <thread>

#include "agent/collect/daemon_state.hpp"
#include "base/sys/process.hpp"

namespace hearth::agent {

/// How often the service manager wants to hear of us, halved; nothing when it does not want to, or not of process
/// `pid`.
[[nodiscard]] std::optional<Duration> watchdog_period(const Environment& env, int pid);

class Watchdog {
 public:
  /// A thread tells the service manager every `period` that all is well, as long as nothing hangs (see hangs()).
  Watchdog(const Environment& env, const Clock& clock, Duration period);
  Watchdog(const Watchdog&) = delete;
  Watchdog& operator=(const Watchdog&) = delete;
  ~Watchdog();
  void tell(DaemonState::Doing doing, std::int64_t seconds = 0);

 private:
  void watch(const Environment& env, Duration period);

  const Clock& clock_;
  std::mutex lock_;
  std::condition_variable changed_;
  DaemonState state_;
  bool ending_ = false;
  std::thread thread_;
};

}  // namespace hearth::agent
