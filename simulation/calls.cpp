#include "simulation/calls.hpp"

#include <dlfcn.h>
#include <sqlite3.h>
#include <sys/syscall.h>
#include <sys/types.h>
#include <unistd.h>
#include <ctime>

// Under other names here than in the headers, whose attributes they must not meet (tests/fakes/lossy_calls.cpp).
#define HEARTH_OWN_CALL(result, name, ...)              \
  result hearth_own_##name(__VA_ARGS__) __asm__(#name); \
  result hearth_own_##name(__VA_ARGS__)

namespace hearth::simulation {

namespace {

thread_local Calls* t_calls = nullptr;

constexpr int k_moved_pages = 1000;  // SQLite's own measure

int moved_within_commit(void* /*own*/, sqlite3* handle, const char* database, int pages) {
  if (pages < k_moved_pages) return SQLITE_OK;
  (void)::sqlite3_wal_checkpoint_v2(handle, database, SQLITE_CHECKPOINT_PASSIVE, nullptr, nullptr);
  return SQLITE_OK;
}

}  // namespace

Calls::Calls(const Clock& clock, std::uint64_t seed) : clock_(clock), random_(Random::of(seed, "getrandom")) {
  t_calls = this;
}

Calls::~Calls() { t_calls = nullptr; }

}  // namespace hearth::simulation

extern "C" {

HEARTH_OWN_CALL(ssize_t, getrandom, void* bytes, std::size_t count, unsigned flags) {
  hearth::simulation::Calls* const calls = hearth::simulation::t_calls;
  if (calls == nullptr) return ::syscall(SYS_getrandom, bytes, count, flags);
  auto* out = static_cast<unsigned char*>(bytes);
  for (std::size_t at = 0; at < count; ++at) out[at] = static_cast<unsigned char>(calls->random_.next() >> 32U);
  return static_cast<ssize_t>(count);
}

HEARTH_OWN_CALL(int, clock_gettime, clockid_t which, timespec* time) {
  hearth::simulation::Calls* const calls = hearth::simulation::t_calls;
  const bool is_time = which == CLOCK_REALTIME || which == CLOCK_MONOTONIC;
  if (calls == nullptr || !is_time) return static_cast<int>(::syscall(SYS_clock_gettime, which, time));
  const auto now =
      which == CLOCK_REALTIME ? calls->clock_.wall().time_since_epoch() : calls->clock_.now().time_since_epoch();
  const auto seconds = std::chrono::duration_cast<std::chrono::seconds>(now);
  *time = {seconds.count(), static_cast<long>((now - seconds).count())};
  return 0;
}

/// The product moves the log on a thread of its own (base/sql/sqlite_checkpoints); here it is done within a commit, as
/// SQLite does where nobody asks for anything else. That asks by this call, too.
HEARTH_OWN_CALL(void*, sqlite3_wal_hook, sqlite3* handle, int (*hook)(void*, sqlite3*, const char*, int), void* own) {
  using Function = void* (*)(sqlite3*, int (*)(void*, sqlite3*, const char*, int), void*);
  static const auto real = reinterpret_cast<Function>(::dlsym(RTLD_NEXT, "sqlite3_wal_hook"));
  if (hook != nullptr && hearth::simulation::t_calls != nullptr)
    return real(handle, hearth::simulation::moved_within_commit, nullptr);
  return real(handle, hook, own);
}

/// The kernel's messages are another machine's.
HEARTH_OWN_CALL(int, klogctl, int what, char* out, int size) {
  if (hearth::simulation::t_calls != nullptr) return -1;
  return static_cast<int>(::syscall(SYS_syslog, what, out, size));
}

HEARTH_OWN_CALL(void, sync) {
  if (hearth::simulation::t_calls == nullptr) ::syscall(SYS_sync);
}

}  // extern "C"
