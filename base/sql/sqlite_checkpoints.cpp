#include "base/sql/sqlite_checkpoints.hpp"

#include <sqlite3.h>

#include <utility>

#include "base/sys/blocked_signals.hpp"

namespace hearth::sql::detail {

namespace {

/// As many pages in the log make it worth moving: SQLite's own limit.
constexpr int k_worth_pages = 1000;
/// A log can begin anew only when all of it has been moved. Where commits come so fast that this never happens, one of
/// them does it, as it would without this thread.
constexpr int k_too_many_pages = 32 * k_worth_pages;

}  // namespace

Checkpoints::Checkpoints(sqlite3* handle, std::string path) : handle_(handle), path_(std::move(path)) {
  ::sqlite3_wal_hook(handle_, &Checkpoints::committed, this);  // takes the place of SQLite's own, which checkpoints
}

Checkpoints::~Checkpoints() { ::sqlite3_wal_hook(handle_, nullptr, nullptr); }

int Checkpoints::committed(void* self, sqlite3* handle, const char* database, int pages) {
  if (pages >= k_too_many_pages) {
    (void)::sqlite3_wal_checkpoint_v2(handle, database, SQLITE_CHECKPOINT_PASSIVE, nullptr, nullptr);
  } else if (pages >= k_worth_pages) {
    static_cast<Checkpoints*>(self)->ask();
  }
  return SQLITE_OK;
}

void Checkpoints::ask() {
  const std::lock_guard lock(mutex_);
  wanted_ = true;
  asked_.notify_one();
  if (thread_.joinable()) return;
  const BlockedSignals blocked;
  try {
    thread_ = std::jthread([this](const std::stop_token& stop) { work(stop); });
  } catch (const std::system_error&) {  // no thread: the log grows until a commit moves it
  }
}

void Checkpoints::work(const std::stop_token& stop) {
  std::unique_lock lock(mutex_);
  while (asked_.wait(lock, stop, [this] { return wanted_; })) {
    wanted_ = false;
    lock.unlock();
    checkpoint();
    lock.lock();
  }
}

/// What fails here (a full disk) fails in a commit soon, which says so.
void Checkpoints::checkpoint() const {
  sqlite3* own = nullptr;
  const int code = ::sqlite3_open_v2(path_.c_str(), &own, SQLITE_OPEN_READWRITE | SQLITE_OPEN_NOMUTEX, nullptr);
  if (code == SQLITE_OK) {
    // It is by reading that a connection learns of the log.
    (void)::sqlite3_exec(own, "PRAGMA synchronous=FULL; SELECT 1 FROM sqlite_master LIMIT 1", nullptr, nullptr,
                         nullptr);
    (void)::sqlite3_wal_checkpoint_v2(own, nullptr, SQLITE_CHECKPOINT_PASSIVE, nullptr, nullptr);
  }
  ::sqlite3_close_v2(own);
}

}  // namespace hearth::sql::detail
