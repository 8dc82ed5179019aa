// SQLite: write-ahead log, fully synchronous.
#include <sqlite3.h>
#include <sys/stat.h>
#include <sys/statvfs.h>

#include <chrono>
#include <cstring>
#include <optional>
#include <thread>

#include "base/error.hpp"
#include "base/sql/database.hpp"
#include "base/sql/sqlite_checkpoints.hpp"
#include "base/sys/file_state.hpp"
#include "base/text.hpp"

namespace hearth::sql::detail {

namespace {

/// With somebody else's lock: requests wait as long, so it is short; who asks is told to come again.
constexpr int k_patience_milliseconds = 250;
constexpr auto k_between_attempts = std::chrono::milliseconds(2);

/// So little is left in the file system of the database that this is what ails it: a full disk is an "I/O error", too,
/// where a file that lies there is to grow.
bool has_no_room(sqlite3* handle, int code) {
  constexpr unsigned long k_little = 256UL << 10U;
  const char* path = ::sqlite3_db_filename(handle, "main");
  struct statvfs at {};
  const bool may_be = code == SQLITE_FULL || code == SQLITE_IOERR || code == SQLITE_CANTOPEN;
  if (!may_be || path == nullptr || *path == '\0' || ::statvfs(path, &at) != 0) return false;
  return at.f_bavail * at.f_frsize < k_little || (at.f_files > 0 && at.f_favail == 0);
}

/// `handle` knows what went wrong.
StoreError failure(sqlite3* handle, std::string_view operation, std::string_view object) {
  StoreError error(cat(operation, " ", object, ": ", ::sqlite3_errmsg(handle)));
  const int code = ::sqlite3_errcode(handle) & 0xff;
  if (code == SQLITE_CORRUPT || code == SQLITE_NOTADB) {
    error.hint(
        "The file is damaged. Stop what uses it and put its directory back from a backup (`hearth help "
        "backup-and-upgrade`); `sqlite3 FILE .recover` may save what is newer.");
  }
  if (has_no_room(handle, code)) {
    error.hint(cat("The disk is full: there is no room for ", ::sqlite3_db_filename(handle, "main"),
                   " to grow. Make some in its file system (`df`), and do this again; what was kept is safe."));
  }
  return error;
}

[[noreturn]] void fail(sqlite3* handle, std::string_view operation, std::string_view object) {
  throw failure(handle, operation, object);
}

class SqliteStatement final : public StatementHandle {
 public:
  explicit SqliteStatement(sqlite3_stmt* handle) : handle_(handle) {}
  SqliteStatement(const SqliteStatement&) = delete;
  SqliteStatement& operator=(const SqliteStatement&) = delete;
  ~SqliteStatement() override { ::sqlite3_finalize(handle_); }

  void bind(int index, std::string_view text) override {
    const char* bytes = text.data() == nullptr ? "" : text.data();  // a null pointer would be NULL, not ''
    check(::sqlite3_bind_text64(handle_, index, bytes, text.size(), SQLITE_TRANSIENT, SQLITE_UTF8));
  }
  void bind(int index, std::int64_t number) override { check(::sqlite3_bind_int64(handle_, index, number)); }
  bool step() override {
    const int code = ::sqlite3_step(handle_);
    if (code == SQLITE_ROW) return true;
    if (code == SQLITE_DONE) return false;
    const StoreError error = failure(::sqlite3_db_handle(handle_), "running", ::sqlite3_sql(handle_));
    reset();  // else it could not be bound again
    throw error;
  }
  void reset() override {
    ::sqlite3_reset(handle_);
    ::sqlite3_clear_bindings(handle_);
  }
  [[nodiscard]] std::string text(int column) const override {
    const unsigned char* bytes = ::sqlite3_column_text(handle_, column);
    if (bytes == nullptr) return "";
    return {reinterpret_cast<const char*>(bytes), static_cast<std::size_t>(::sqlite3_column_bytes(handle_, column))};
  }
  [[nodiscard]] std::int64_t number(int column) const override { return ::sqlite3_column_int64(handle_, column); }

 private:
  void check(int code) const {
    if (code != SQLITE_OK) {
      fail(::sqlite3_db_handle(handle_), "binding a parameter of", ::sqlite3_sql(handle_));
    }
  }
  sqlite3_stmt* handle_;
};

class SqliteConnection final : public Connection {
 public:
  explicit SqliteConnection(const std::string& path) : path_(path) {
    const ::mode_t before = ::umask(0077);  // it holds secrets
    const int code = ::sqlite3_open_v2(path.c_str(), &handle_,
                                       SQLITE_OPEN_READWRITE | SQLITE_OPEN_CREATE | SQLITE_OPEN_NOMUTEX, nullptr);
    ::umask(before);
    if (code != SQLITE_OK) {
      std::string reason = ::sqlite3_errmsg(handle_);
      if (const int cause = ::sqlite3_system_errno(handle_); cause != 0) reason += cat(" (", ::strerror(cause), ")");
      ::sqlite3_close(handle_);
      throw Error(ErrorKind::io, cat("opening the database ", path, ": ", reason));
    }
    ::sqlite3_busy_handler(handle_, &SqliteConnection::wait, this);
    try {
      SqliteConnection::run("PRAGMA journal_mode=WAL; PRAGMA synchronous=FULL; PRAGMA foreign_keys=ON;");
    } catch (...) {
      ::sqlite3_close(handle_);
      throw;
    }
    if (path == ":memory:") return;
    checkpoints_.emplace(handle_, path);
    file_ = file_identity(path);
  }
  SqliteConnection(const SqliteConnection&) = delete;
  SqliteConnection& operator=(const SqliteConnection&) = delete;
  ~SqliteConnection() override {
    checkpoints_.reset();
    ::sqlite3_close_v2(handle_);
  }

  void meanwhile(std::function<void()> others) override { others_ = std::move(others); }
  void begin() override {
    look();
    run("BEGIN IMMEDIATE");
  }
  void look() override {
    if (path_ == ":memory:") return;
    const std::string log = file_identity(cat(path_, "-wal"));
    if (log_.empty()) log_ = log;  // made when something is written first
    if (file_identity(path_) == file_ && log == log_) return;
    StoreError error(cat("in the database ", path_, ": the file was removed or replaced while it was in use"),
                     "its files were removed or replaced under the server, so that nothing can be kept. Put the state "
                     "directory back from a backup and start the server again");
    error.hint(
        "What is written now would be lost. Put the directory back from a backup (`hearth help backup-and-upgrade`) "
        "and start this server again: until then it answers what only reads.");
    throw error;
  }
  void run(const std::string& statements) override {
    if (::sqlite3_exec(handle_, statements.c_str(), nullptr, nullptr, nullptr) != SQLITE_OK) {
      fail(handle_, "in the database", path_);
    }
  }
  std::unique_ptr<StatementHandle> prepare(std::string_view statement) override {
    sqlite3_stmt* prepared = nullptr;
    const int size = static_cast<int>(statement.size());
    if (::sqlite3_prepare_v2(handle_, statement.data(), size, &prepared, nullptr) != SQLITE_OK) {
      fail(handle_, "preparing", statement);
    }
    return std::make_unique<SqliteStatement>(prepared);
  }
  std::int64_t last_row() override { return ::sqlite3_last_insert_rowid(handle_); }

 private:
  /// Whether the lock is tried again.
  static int wait(void* self, int attempts) {
    SqliteConnection& own = *static_cast<SqliteConnection*>(self);
    const auto now = std::chrono::steady_clock::now();
    if (attempts == 0) own.waits_since_ = now;
    if (now - own.waits_since_ > std::chrono::milliseconds(k_patience_milliseconds)) return 0;
    std::this_thread::sleep_for(k_between_attempts);
    if (own.others_) own.others_();
    return 1;
  }

  std::string path_;
  std::function<void()> others_;
  std::chrono::steady_clock::time_point waits_since_;
  std::string file_;  ///< which one it is
  std::string log_;   ///< and which its log; empty before there is one
  sqlite3* handle_ = nullptr;
  std::optional<Checkpoints> checkpoints_;
};

}  // namespace

std::unique_ptr<Connection> open_sqlite(const std::string& path) { return std::make_unique<SqliteConnection>(path); }

}  // namespace hearth::sql::detail
