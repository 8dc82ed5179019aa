// SIGINT, SIGTERM and SIGHUP as a fact that a loop looks at, in place of the end of the process.
#pragma once

namespace hearth {

/// While it lives, they interrupt what waits (EINTR) and are remembered. One at a time.
class StopSignals {
 public:
  StopSignals();
  StopSignals(const StopSignals&) = delete;
  StopSignals& operator=(const StopSignals&) = delete;
  ~StopSignals();
  /// The last one that came, 0 for none.
  [[nodiscard]] static int received();
};

}  // namespace hearth
