// A pipe whose reader has gone.
#pragma once

#include <csignal>

namespace hearth {

/// A write to a pipe without reader gives EPIPE instead of killing this process, whatever SIGPIPE is set to. The signal
/// that such a write raised is taken away; one that was pending before stays.
class NoBrokenPipeSignal {
 public:
  NoBrokenPipeSignal();
  NoBrokenPipeSignal(const NoBrokenPipeSignal&) = delete;
  NoBrokenPipeSignal& operator=(const NoBrokenPipeSignal&) = delete;
  ~NoBrokenPipeSignal();

 private:
  sigset_t pipe_{};
  sigset_t before_{};
  bool was_pending_ = false;
};

}  // namespace hearth
