#include "base/sys/broken_pipe.hpp"

#include <ctime>

namespace hearth {

NoBrokenPipeSignal::NoBrokenPipeSignal() {
  sigset_t pending;
  ::sigpending(&pending);
  was_pending_ = ::sigismember(&pending, SIGPIPE) == 1;
  ::sigemptyset(&pipe_);
  ::sigaddset(&pipe_, SIGPIPE);
  ::pthread_sigmask(SIG_BLOCK, &pipe_, &before_);
}

NoBrokenPipeSignal::~NoBrokenPipeSignal() {
  const timespec now{};
  if (!was_pending_) ::sigtimedwait(&pipe_, nullptr, &now);
  ::pthread_sigmask(SIG_SETMASK, &before_, nullptr);
}

}  // namespace hearth
