#include "base/sql/database.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <sys/stat.h>

#include <functional>

#include "base/error.hpp"
#include "base/sys/file.hpp"
#include "base/text.hpp"

namespace hearth::sql {
namespace {

std::int64_t count(Database& database) {
  Statement statement = database.prepare("SELECT count(*) FROM t");
  statement.step();
  return statement.number(0);
}

TEST(Sqlite, GivesBackWhatWasStored) {
  Database database(":memory:");
  database.run("CREATE TABLE t (n INTEGER PRIMARY KEY, s TEXT)");
  const std::string odd("a\0'\"ü", 6);
  Statement insert = database.prepare("INSERT INTO t (s) VALUES (?)");
  insert.bind(1, odd).execute();
  insert.bind(1, std::string_view()).execute();
  EXPECT_EQ(database.last_row(), 2);
  Statement select = database.prepare("SELECT n, s FROM t ORDER BY n");
  ASSERT_TRUE(select.step());
  EXPECT_EQ(select.number(0), 1);
  EXPECT_EQ(select.text(1), odd);
  ASSERT_TRUE(select.step());
  EXPECT_EQ(select.text(1), "");
  EXPECT_FALSE(select.step());
}

TEST(Sqlite, ATransactionThatIsNotCommittedNeverWas) {
  Database database(":memory:");
  database.run("CREATE TABLE t (n INTEGER)");
  {
    const Transaction dropped(database);
    database.run("INSERT INTO t VALUES (1)");
  }
  EXPECT_EQ(count(database), 0);
  Transaction kept(database);
  database.run("INSERT INTO t VALUES (1)");
  kept.commit();
  EXPECT_EQ(count(database), 1);
}

TEST(Sqlite, WhoWaitsForSomebodysLockDoesSomethingElseMeanwhileAndNotForLong) {
  const TempDir directory = TempDir::create("/tmp", "sqlite-");
  Database database((directory.path() / "state.db").string());
  Database other((directory.path() / "state.db").string());
  std::size_t times = 0;
  database.meanwhile([&] { ++times; });
  const Transaction locks(other);
  EXPECT_THROW(Transaction{database}, StoreError);
  EXPECT_GT(times, 20U);
  EXPECT_LT(times, 200U) << "a quarter of a second";
}

TEST(Sqlite, OfADamagedFileItSaysWhatToDo) {
  const TempDir directory = TempDir::create("/tmp", "sqlite-");
  const std::string path = (directory.path() / "state.db").string();
  { Database(path).run("CREATE TABLE t (s TEXT); INSERT INTO t VALUES (hex(zeroblob(20000)))"); }
  const std::string whole = read_file(path);
  const auto story_with = [&](std::size_t from, std::size_t count) {
    std::string damaged = whole;
    damaged.replace(from, count, count, 'x');
    RealFileSystem().write(path, damaged, {.mode = 0600, .uid = {}, .gid = {}});
    try {
      Database database(path);
      Statement all = database.prepare("SELECT s FROM t");
      while (all.step()) (void)all.text(0);
    } catch (const Error& error) {
      return error.story();
    }
    return std::string();
  };
  EXPECT_THAT(story_with(0, 100), testing::HasSubstr("from a backup"));
  EXPECT_THAT(story_with(4096, 4096), testing::HasSubstr("from a backup"));
}

TEST(Sqlite, AFileIsForItsOwnerOnlyAndIsFoundAgain) {
  const TempDir directory = TempDir::create("/tmp", "sqlite-");
  const std::string path = (directory.path() / "state.db").string();
  { Database(path).run("CREATE TABLE t (n INTEGER); INSERT INTO t VALUES (7)"); }
  struct stat info {};
  ASSERT_EQ(::stat(path.c_str(), &info), 0);
  EXPECT_EQ(info.st_mode & 0777U, 0600U);
  Database again(path);
  EXPECT_EQ(count(again), 1);
}

TEST(Sqlite, WhatWouldGoToAFileThatWasRemovedOrReplacedIsRefused) {
  for (const char* gone : {"state.db", "state.db-wal", "all"}) {
    SCOPED_TRACE(gone);
    const TempDir directory = TempDir::create("/tmp", "sqlite-");
    const fs::path home = directory.path() / "home";
    fs::create_directory(home);
    Database database((home / "state.db").string());
    database.run("CREATE TABLE t (n INTEGER); INSERT INTO t VALUES (7)");
    { Transaction(database).commit(); }
    database.check();
    if (std::string_view(gone) == "all") {
      fs::remove_all(home);
    } else {
      fs::rename(home / gone, home / "away");
    }
    const auto refused = [&](const std::function<void()>& use) {
      try {
        use();
      } catch (const StoreError& error) {
        EXPECT_THAT(error.story(), testing::HasSubstr("from a backup"));
        EXPECT_THAT(error.answer(), testing::Not(testing::HasSubstr("/tmp")));
        return true;
      }
      return false;
    };
    EXPECT_TRUE(refused([&] { database.check(); }));
    EXPECT_TRUE(refused([&] { const Transaction transaction(database); }));
    EXPECT_EQ(count(database), 1) << "what is there can still be read";
    if (std::string_view(gone) != "all") fs::rename(home / "away", home / gone);
    EXPECT_EQ(refused([&] { database.check(); }), std::string_view(gone) == "all") << "it may come back";
  }
}

TEST(Sqlite, ErrorsNameTheFileOrTheStatement) {
  try {
    Database("/nowhere/at/all.db");
    FAIL();
  } catch (const Error& error) {
    EXPECT_THAT(error.what(), testing::HasSubstr("/nowhere/at/all.db"));
    EXPECT_THAT(error.what(), testing::HasSubstr("No such file or directory")) << "not just that it can't be opened";
  }
  Database database(":memory:");
  EXPECT_THROW((void)database.prepare("SELEKT"), Error);
  database.run("CREATE TABLE t (n INTEGER UNIQUE); INSERT INTO t VALUES (1)");
  EXPECT_THROW(database.prepare("INSERT INTO t VALUES (1)").execute(), Error);
}

TEST(Postgres, WhoIsRefusedIsToldWhatToDoNextInOneLine) {
  try {
    (void)detail::open_postgres("postgresql://u@127.0.0.1:9/none");
    FAIL() << "somebody answers at port 9";
  } catch (const StoreError& error) {
    const std::string said = error.what();
    EXPECT_NE(said.find("Connection refused"), std::string::npos) << said;
    EXPECT_EQ(said.find_first_of("\n\t"), std::string::npos) << said;
    EXPECT_NE(error.story().find("Does it run, and at that address and port?"), std::string::npos) << error.story();
  }
}

}  // namespace
}  // namespace hearth::sql
