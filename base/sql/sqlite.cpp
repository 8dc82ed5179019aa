#include "base/sql/sqlite.hpp"

#include <sqlite3.h>
#include <sys/stat.h>

#include "base/error.hpp"
#include "base/text.hpp"

namespace hearth::sql {

namespace {

[[noreturn]] void fail(sqlite3* handle, std::string_view operation, std::string_view object) {
  throw Error(ErrorKind::io, cat(operation, " ", object, ": ", ::sqlite3_errmsg(handle)));
}

}  // namespace

Statement::Statement(Statement&& other) noexcept : handle_(std::exchange(other.handle_, nullptr)) {}
Statement::~Statement() { ::sqlite3_finalize(handle_); }

Statement& Statement::bind(int index, std::string_view text) {
  const char* bytes = text.data() == nullptr ? "" : text.data();  // a null pointer would be NULL, not ''
  if (::sqlite3_bind_text64(handle_, index, bytes, text.size(), SQLITE_TRANSIENT, SQLITE_UTF8) != SQLITE_OK) {
    fail(::sqlite3_db_handle(handle_), "binding a parameter of", ::sqlite3_sql(handle_));
  }
  return *this;
}

Statement& Statement::bind(int index, std::int64_t number) {
  if (::sqlite3_bind_int64(handle_, index, number) != SQLITE_OK) {
    fail(::sqlite3_db_handle(handle_), "binding a parameter of", ::sqlite3_sql(handle_));
  }
  return *this;
}

bool Statement::step() {
  const int code = ::sqlite3_step(handle_);
  if (code == SQLITE_ROW) return true;
  if (code == SQLITE_DONE) return false;
  fail(::sqlite3_db_handle(handle_), "running", ::sqlite3_sql(handle_));
}

void Statement::execute() {
  while (step()) {
  }
  reset();
}

void Statement::reset() {
  ::sqlite3_reset(handle_);
  ::sqlite3_clear_bindings(handle_);
}

std::string Statement::text(int column) const {
  const unsigned char* bytes = ::sqlite3_column_text(handle_, column);
  if (bytes == nullptr) return "";
  return {reinterpret_cast<const char*>(bytes), static_cast<std::size_t>(::sqlite3_column_bytes(handle_, column))};
}

std::int64_t Statement::number(int column) const { return ::sqlite3_column_int64(handle_, column); }

Database::Database(const std::string& path) : path_(path) {
  const ::mode_t before = ::umask(0077);  // it holds secrets
  const int code = ::sqlite3_open_v2(path.c_str(), &handle_,
                                     SQLITE_OPEN_READWRITE | SQLITE_OPEN_CREATE | SQLITE_OPEN_NOMUTEX, nullptr);
  ::umask(before);
  if (code != SQLITE_OK) {
    const std::string reason = ::sqlite3_errmsg(handle_);
    ::sqlite3_close(handle_);
    throw Error(ErrorKind::io, cat("opening the database ", path, ": ", reason));
  }
  ::sqlite3_busy_timeout(handle_, 5000);
  try {
    run("PRAGMA journal_mode=WAL; PRAGMA synchronous=FULL; PRAGMA foreign_keys=ON;");
  } catch (...) {
    ::sqlite3_close(handle_);
    throw;
  }
}

Database::~Database() { ::sqlite3_close(handle_); }

void Database::run(const std::string& statements) {
  if (::sqlite3_exec(handle_, statements.c_str(), nullptr, nullptr, nullptr) != SQLITE_OK) {
    fail(handle_, "in the database", path_);
  }
}

Statement Database::prepare(std::string_view statement) {
  sqlite3_stmt* prepared = nullptr;
  if (::sqlite3_prepare_v2(handle_, statement.data(), static_cast<int>(statement.size()), &prepared, nullptr) !=
      SQLITE_OK) {
    fail(handle_, "preparing", statement);
  }
  return Statement(prepared);
}

std::int64_t Database::last_row() const { return ::sqlite3_last_insert_rowid(handle_); }

Transaction::~Transaction() {
  if (!open_) return;
  try {
    database_.run("ROLLBACK");
  } catch (const Error&) {  // what failed before is the story; SQLite may have rolled back by itself
  }
}

void Transaction::commit() {
  database_.run("COMMIT");
  open_ = false;
}

}  // namespace hearth::sql
