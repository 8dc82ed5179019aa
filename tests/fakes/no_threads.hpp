// A machine on which no thread can be started, for as long as it lives.
#pragma once

#include <pthread.h>

#include <cstddef>

namespace hearth::fakes {

/// Each new thread is to have a stack for which there is no room.
class NoThreads {
 public:
  NoThreads() {
    ::pthread_getattr_default_np(&before_);
    ::pthread_attr_t huge{};
    ::pthread_attr_init(&huge);
    ::pthread_attr_setstacksize(&huge, std::size_t{1} << 47U);
    ::pthread_setattr_default_np(&huge);
    ::pthread_attr_destroy(&huge);
  }
  NoThreads(const NoThreads&) = delete;
  NoThreads& operator=(const NoThreads&) = delete;
  ~NoThreads() {
    ::pthread_setattr_default_np(&before_);
    ::pthread_attr_destroy(&before_);
  }

 private:
  ::pthread_attr_t before_{};
};

}  // namespace hearth::fakes
