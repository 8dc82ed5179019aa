// What a power cut leaves of a database: whole transactions, and each that was told to be committed.
#include <gtest/gtest.h>
#include <sched.h>

#include "base/sql/database.hpp"
#include "base/sys/file.hpp"
#include "base/text.hpp"
#include "tests/fakes/lossy_disk.hpp"

namespace hearth::sql {
namespace {

using fakes::LossyDisk;

constexpr int k_rows_at_once = 3;

class DatabasePowerCut : public testing::Test {
 protected:
  /// `transactions` of three rows each, promised one by one.
  static void fill(Database& database, LossyDisk& disk, int transactions, std::size_t bytes) {
    for (int done = 0; done < transactions; ++done) {
      Transaction transaction(database);
      Statement insert = database.prepare("INSERT INTO t VALUES (?, ?)");
      for (int row = 0; row < k_rows_at_once; ++row) {
        insert.bind(1, std::int64_t{done}).bind(2, std::string(bytes, static_cast<char>('a' + done))).execute();
      }
      transaction.commit();
      disk.promise(cat(done));
    }
  }
  void expect_whole_transactions(const LossyDisk::Cut& cut, std::size_t bytes) const {
    Database database(path_);
    Statement check = database.prepare("PRAGMA integrity_check");
    ASSERT_TRUE(check.step());
    ASSERT_EQ(check.text(0), "ok");
    Statement rows = database.prepare("SELECT n, count(*), min(length(s)) FROM t GROUP BY n ORDER BY n");
    std::size_t found = 0;
    for (; rows.step(); ++found) {
      EXPECT_EQ(rows.number(0), static_cast<std::int64_t>(found));
      EXPECT_EQ(rows.number(1), k_rows_at_once);
      EXPECT_EQ(rows.number(2), static_cast<std::int64_t>(bytes));
    }
    EXPECT_GE(found, cut.promised.size());
  }
  TempDir directory_ = TempDir::create("/tmp", "hearth-test-");
  std::string path_ = (directory_.path() / "state.db").string();
};

TEST_F(DatabasePowerCut, KeepsWhatIsCommittedFromTheFirstTransactionOn) {
  LossyDisk disk(directory_.path());
  {
    Database database(path_);
    database.run("CREATE TABLE t (n INTEGER, s TEXT)");
    fill(database, disk, 4, 300);
  }
  const std::size_t cuts = disk.cut_everywhere([&](const LossyDisk::Cut& cut) {
    if (!cut.promised.empty()) expect_whole_transactions(cut, 300);
    Database(path_).run("CREATE TABLE IF NOT EXISTS t (n INTEGER, s TEXT)");  // it can be worked with
  });
  EXPECT_GT(cuts, 40U);
}

TEST_F(DatabasePowerCut, AFullDiskAtAnyWriteUndoesItsTransactionAndTheNextOneIsKept) {
  Database database(path_);
  database.run("CREATE TABLE t (n INTEGER, s TEXT)");
  const auto rows = [&] {
    Statement count = database.prepare("SELECT count(*) FROM t");
    EXPECT_TRUE(count.step());
    return count.number(0);
  };
  bool was_full = true;
  for (std::size_t writes = 0; was_full; ++writes) {
    ASSERT_LT(writes, 60U);
    const std::int64_t before = rows();
    bool kept = false;
    {
      LossyDisk disk(directory_.path());
      disk.fill_after(writes);
      try {
        fill(database, disk, 1, 3000);
        kept = true;
      } catch (const StoreError&) {
        EXPECT_TRUE(disk.was_full());
      }
      was_full = disk.was_full();
      EXPECT_EQ(rows(), before + (kept ? k_rows_at_once : 0)) << writes;
    }
    database.run("INSERT INTO t VALUES (1, '')");  // there is room again
    EXPECT_EQ(rows(), before + (kept ? k_rows_at_once : 0) + 1) << writes;
  }
}

/// So that a thousand pages, at which the log is moved, are half a megabyte.
void make_with_small_pages(const std::string& path) {
  Database database(path);
  database.run("PRAGMA journal_mode=DELETE; PRAGMA page_size=512; VACUUM; PRAGMA journal_mode=WAL");
  database.run("CREATE TABLE t (n INTEGER, s TEXT)");
}

TEST_F(DatabasePowerCut, KeepsItWhileTheLogIsMovedAndBegunAnew) {
  constexpr std::size_t k_bytes = 180000;
  make_with_small_pages(path_);
  LossyDisk disk(directory_.path());
  {
    Database database(path_);
    fill(database, disk, 1, k_bytes);
    // The log is moved by a thread, which no one can wait for but by looking.
    while (fs::file_size(path_) < k_rows_at_once * k_bytes) ::sched_yield();
    database.run("PRAGMA wal_checkpoint(PASSIVE)");  // what is left of it
    Transaction transaction(database);
    database.run("INSERT INTO t VALUES (1, ''), (1, ''), (1, '')");
    transaction.commit();
  }
  const std::size_t cuts = disk.cut_everywhere([&](const LossyDisk::Cut& cut) {
    Database database(path_);
    Statement check = database.prepare("PRAGMA integrity_check");
    ASSERT_TRUE(check.step());
    ASSERT_EQ(check.text(0), "ok");
    Statement rows = database.prepare("SELECT count(*), min(length(s)) FROM t WHERE n = 0");
    ASSERT_TRUE(rows.step());
    if (cut.promised.empty() && rows.number(0) == 0) return;
    EXPECT_EQ(rows.number(0), k_rows_at_once);
    EXPECT_EQ(rows.number(1), static_cast<std::int64_t>(k_bytes));
  });
  EXPECT_GT(cuts, 20U);
}

}  // namespace
}  // namespace hearth::sql
