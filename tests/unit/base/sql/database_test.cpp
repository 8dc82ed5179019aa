#include "base/sql/database.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <sys/stat.h>

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

TEST(Sqlite, ErrorsNameTheFileOrTheStatement) {
  try {
    Database("/nowhere/at/all.db");
    FAIL();
  } catch (const Error& error) {
    EXPECT_THAT(error.what(), testing::HasSubstr("/nowhere/at/all.db"));
  }
  Database database(":memory:");
  EXPECT_THROW((void)database.prepare("SELEKT"), Error);
  database.run("CREATE TABLE t (n INTEGER UNIQUE); INSERT INTO t VALUES (1)");
  EXPECT_THROW(database.prepare("INSERT INTO t VALUES (1)").execute(), Error);
}

}  // namespace
}  // namespace hearth::sql
