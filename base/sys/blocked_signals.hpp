// Signals are for the threads that wait for them: a thread inherits what is blocked where it is started.
#pragma once

#include <csignal>

namespace hearth {

/// All of this thread's are blocked while it lives. Start a thread meanwhile, and no signal interrupts it.
class BlockedSignals {
 public:
  BlockedSignals() {
    sigset_t all;
    ::sigfillset(&all);
    ::pthread_sigmask(SIG_SETMASK, &all, &before_);
  }
  BlockedSignals(const BlockedSignals&) = delete;
  BlockedSignals& operator=(const BlockedSignals&) = delete;
  ~BlockedSignals() { ::pthread_sigmask(SIG_SETMASK, &before_, nullptr); }

 private:
  sigset_t before_{};
};

}  // namespace hearth
