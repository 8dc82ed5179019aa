// SQLite: an owned connection and prepared statements. One thread, one connection; write-ahead log, fully synchronous:
// what is committed survives the loss of power.
#pragma once

#include <cstdint>
#include <memory>
#include <string>
#include <string_view>

struct sqlite3;
struct sqlite3_stmt;

namespace hearth::sql {

class Statement {
 public:
  Statement(Statement&& other) noexcept;
  Statement& operator=(Statement&&) = delete;
  ~Statement();

  /// Parameters count from 1.
  Statement& bind(int index, std::string_view text);
  Statement& bind(int index, std::int64_t number);
  /// True while there is a row. Throws Error.
  bool step();
  /// Runs to the end and makes it ready for the next bind.
  void execute();
  void reset();

  /// Columns count from 0.
  [[nodiscard]] std::string text(int column) const;
  [[nodiscard]] std::int64_t number(int column) const;

 private:
  friend class Database;
  explicit Statement(sqlite3_stmt* handle) : handle_(handle) {}
  sqlite3_stmt* handle_;
};

class Database {
 public:
  /// Opens or creates the file (mode 0600); ":memory:" for tests. Throws Error naming the file.
  explicit Database(const std::string& path);
  Database(const Database&) = delete;
  Database& operator=(const Database&) = delete;
  ~Database();

  /// Any number of statements without results.
  void run(const std::string& statements);
  [[nodiscard]] Statement prepare(std::string_view statement);
  [[nodiscard]] std::int64_t last_row() const;

 private:
  std::string path_;
  sqlite3* handle_ = nullptr;
};

/// A transaction that is rolled back unless committed.
class Transaction {
 public:
  explicit Transaction(Database& database) : database_(database) { database_.run("BEGIN IMMEDIATE"); }
  Transaction(const Transaction&) = delete;
  Transaction& operator=(const Transaction&) = delete;
  ~Transaction();
  void commit();

 private:
  Database& database_;
  bool open_ = true;
};

}  // namespace hearth::sql
