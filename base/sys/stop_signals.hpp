// SIGINT, SIGTERM and SIGHUP, for work that must leave nothing behind.
#pragma once

namespace hearth {

/// For as long as it lives these signals end no process but interrupt what waits (EINTR). Whoever waits asks check();
/// what was begun then ends as by any other error.
class StopSignals {
 public:
  StopSignals();
  StopSignals(const StopSignals&) = delete;
  StopSignals& operator=(const StopSignals&) = delete;
  ~StopSignals();
  /// The last one's number; 0 = none came.
  [[nodiscard]] static int received();
  /// Throws Error (interrupted) where one came.
  static void check();
};

}  // namespace hearth
