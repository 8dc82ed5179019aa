#include "base/sql/sqlite_checkpoints.hpp"

#include <gtest/gtest.h>

#include <chrono>
#include <thread>

#include "base/path.hpp"
#include "base/sql/database.hpp"
#include "base/sys/file.hpp"

namespace hearth::sql {
namespace {

/// Whether the file gets as big within a generous time.
bool grows_to(const fs::path& file, std::uintmax_t bytes) {
  const auto end = std::chrono::steady_clock::now() + std::chrono::seconds(60);
  while (fs::file_size(file) < bytes) {
    if (std::chrono::steady_clock::now() > end) return false;
    std::this_thread::yield();
  }
  return true;
}

/// Whether a row goes in without the log getting longer. The database has all pages a moment before SQLite has noted
/// that, and a row that comes meanwhile is still appended.
bool begins_anew(Database& database, const fs::path& log, const std::string& row) {
  for (int round = 0; round < 50; ++round) {
    const std::uintmax_t before = fs::file_size(log);
    database.prepare("INSERT INTO t VALUES (?)").bind(1, row).execute();
    if (fs::file_size(log) == before) return true;
    std::this_thread::sleep_for(std::chrono::milliseconds(20));
  }
  return false;
}

TEST(SqliteCheckpoints, ALongLogIsMovedWhileTheConnectionIsIdle) {
  const TempDir directory = TempDir::create("/dev/shm", "checkpoints-");
  const fs::path path = directory.path() / "state.db";
  Database database(path.string());
  database.run("CREATE TABLE t (s TEXT)");
  const std::string row(1U << 20U, 'x');
  for (int round = 1; round <= 3; ++round) {
    Transaction transaction(database);
    for (int i = 0; i < 5; ++i) database.prepare("INSERT INTO t VALUES (?)").bind(1, row).execute();
    transaction.commit();
    EXPECT_TRUE(grows_to(path, std::uintmax_t(round) * 5U << 20U));
  }
  EXPECT_TRUE(begins_anew(database, fs::path(path.string() + "-wal"), row));
}

TEST(SqliteCheckpoints, AShortLogStaysWhereItIs) {
  const TempDir directory = TempDir::create("/dev/shm", "checkpoints-");
  const fs::path path = directory.path() / "state.db";
  Database database(path.string());
  database.run("CREATE TABLE t (s TEXT); INSERT INTO t VALUES ('x')");
  EXPECT_GT(fs::file_size(fs::path(path.string() + "-wal")), 0U);
  EXPECT_LE(fs::file_size(path), 4096U);
}

TEST(SqliteCheckpoints, WhatIsCommittedMeanwhileIsThereAfterwards) {
  const TempDir directory = TempDir::create("/dev/shm", "checkpoints-");
  const std::string path = (directory.path() / "state.db").string();
  const std::string row(9000, 'y');
  {
    Database database(path);
    database.run("CREATE TABLE t (n INTEGER PRIMARY KEY, s TEXT)");
    Statement insert = database.prepare("INSERT INTO t (s) VALUES (?)");
    for (int i = 0; i < 3000; ++i) insert.bind(1, row).execute();
  }
  Database again(path);
  Statement found = again.prepare("SELECT count(*), min(length(s)) FROM t");
  ASSERT_TRUE(found.step());
  EXPECT_EQ(found.number(0), 3000);
  EXPECT_EQ(found.number(1), 9000);
}

}  // namespace
}  // namespace hearth::sql
