#include "agent/collect/watchdog.hpp"

#include "base/sys/datagram.hpp"
#include "base/text.hpp"

namespace hearth::agent {

std::optional<Duration> watchdog_period(const Environment& env, int pid) {
  const auto wanted = env.find("WATCHDOG_USEC");
  const auto of = env.find("WATCHDOG_PID");
  const std::uint64_t microseconds = wanted == env.end() ? 0 : parse_number(wanted->second).value_or(0);
  const bool ours = of == env.end() || of->second == std::to_string(pid);
  constexpr std::uint64_t longest = 1'000'000'000'000;
  if (!ours || microseconds == 0 || microseconds > longest) return std::nullopt;
  return std::chrono::microseconds(microseconds / 2);
}

Watchdog::Watchdog(const Environment& env, const Clock& clock, Duration period) : clock_(clock) {
  tell(DaemonState::Doing::starting);
  thread_ = std::thread([this, env, period] { watch(env, period); });
}

Watchdog::~Watchdog() {
  {
    const std::lock_guard guard(lock_);
    ending_ = true;
  }
  changed_.notify_all();
  thread_.join();
}

void Watchdog::tell(DaemonState::Doing doing, std::int64_t seconds) {
  const std::int64_t now = awake_seconds(clock_);
  const std::lock_guard guard(lock_);
  state_ = {doing, now, now + seconds, ""};
}

void Watchdog::watch(const Environment& env, Duration period) {
  std::unique_lock guard(lock_);
  while (!ending_) {
    if (!hangs(state_, awake_seconds(clock_))) notify_service_manager(env, "WATCHDOG=1");
    changed_.wait_for(guard, period, [this] { return ending_; });
  }
}

}  // namespace hearth::agent
