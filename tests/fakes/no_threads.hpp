// A machine on which no more threads can be started, for as long as it lives.
#pragma once

#include <pthread.h>
#include <sys/resource.h>
#include <unistd.h>

#include <cstddef>
#include <fstream>

namespace hearth::fakes {

/// Each new thread is to have a stack for which there is no room, but for the first `but`.
class NoThreads {
 public:
  explicit NoThreads(std::size_t but = 0) {
    // More than all else that they need, and than glibc keeps of threads that ended.
    constexpr std::size_t stack = std::size_t{1} << 29U;
    ::pthread_getattr_default_np(&before_);
    ::getrlimit(RLIMIT_AS, &room_before_);
    ::pthread_attr_t huge{};
    ::pthread_attr_init(&huge);
    ::pthread_attr_setstacksize(&huge, stack);
    ::pthread_setattr_default_np(&huge);
    ::pthread_attr_destroy(&huge);
    std::size_t pages = 0;
    std::ifstream("/proc/self/statm") >> pages;
    rlimit room = room_before_;
    room.rlim_cur = pages * static_cast<std::size_t>(::sysconf(_SC_PAGESIZE)) + but * stack + stack / 2;
    ::setrlimit(RLIMIT_AS, &room);
  }
  NoThreads(const NoThreads&) = delete;
  NoThreads& operator=(const NoThreads&) = delete;
  ~NoThreads() {
    ::setrlimit(RLIMIT_AS, &room_before_);
    ::pthread_setattr_default_np(&before_);
    ::pthread_attr_destroy(&before_);
  }

 private:
  ::pthread_attr_t before_{};
  rlimit room_before_{};
};

}  // namespace hearth::fakes
