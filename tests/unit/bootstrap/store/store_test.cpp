#include "bootstrap/store/store.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <thread>

#include "base/error.hpp"
#include "base/sys/file.hpp"
#include "base/text.hpp"
#include "bootstrap/store/ledger.hpp"
#include "tests/fakes/lossy_disk.hpp"
#include "tests/fakes/manual_clock.hpp"

namespace hearth::bootstrap {
namespace {

Node node_named(const std::string& uuid) {
  Node node;
  node.uuid = uuid;
  node.driver = "fake-hardware";
  return node;
}

TEST(Store, nodesAndEventsOfOneCommitComeBackAfterOpeningAgain) {
  const TempDir directory = TempDir::create("/tmp", "hearth-store-");
  const std::string path = (directory.path() / "state.db").string();
  {
    Store store(path);
    const Node one = node_named("u1");
    const Node two = node_named("u2");
    std::vector<Event> events = {{0, 5, "u1", "web1", "state", "a -> b", {{"x", 1}}},
                                 {0, 6, "u2", "u2", "power", "on", {}}};
    store.commit({&one, &two}, {}, events);
    EXPECT_EQ(events[0].id, 1);
    std::vector<Event> none;
    store.commit({}, {"u2"}, none);
  }
  Store store(path);
  ASSERT_EQ(store.nodes().size(), 1U);
  EXPECT_EQ(store.nodes()[0].uuid, "u1");
  EXPECT_EQ(store.last_event(), 2);
  const auto of_one = store.events({0, 10, "u1", false});
  ASSERT_EQ(of_one.size(), 1U);
  EXPECT_EQ(of_one[0].detail["x"], 1);
  EXPECT_EQ(store.events({1, 10, "", false}).size(), 1U);
  EXPECT_EQ(store.events({0, 1, "", true}).at(0).id, 2);
  EXPECT_EQ(event_json(of_one[0])["name"], "web1");
}

TEST(Store, aCommitIsThereAfterAPowerCutWithAllThatBelongsToItOrNotAtAll) {
  const TempDir directory = TempDir::create("/tmp", "hearth-store-");
  const std::string path = (directory.path() / "state.db").string();
  { Store made(path); }
  fakes::LossyDisk disk(directory.path());
  {
    Store store(path);
    for (int n = 1; n <= 3; ++n) {
      const Node node = node_named(cat("u", n));
      std::vector<Event> events = {{0, n, node.uuid, "", "state", "a -> b", {}},
                                   {0, n, node.uuid, "", "power", "on", {}}};
      store.commit({&node}, {}, events);
      disk.promise(node.uuid);
    }
  }
  const std::size_t cuts = disk.cut_everywhere([&](const fakes::LossyDisk::Cut& cut) {
    Store store(path);
    EXPECT_GE(store.nodes().size(), cut.promised.size());
    EXPECT_EQ(store.events({}).size(), store.nodes().size() * 2);
  });
  EXPECT_GT(cuts, 20U);
}

/// Also while the log is moved and begun anew: SQLite flushes only its head then.
TEST(Store, whatIsKeptBesideItIsThereAfterAPowerCutWithAllThatWasCommittedBefore) {
  const TempDir directory = TempDir::create("/tmp", "hearth-store-");
  const std::string path = (directory.path() / "state.db").string();
  { Store made(path); }
  fakes::LossyDisk disk(directory.path());
  {
    Store store(path);
    store.keep_beside({});
    for (int n = 1; n <= 6; ++n) {
      const Node node = node_named(cat("u", n));
      std::vector<Event> events = {{0, n, node.uuid, "", "state", "a -> b", {}}};
      store.commit({&node}, {}, events);
      if (n % 2 == 0) {
        for (int tries = 0; tries < 5000 && store.kept() < store.written(); ++tries)
          std::this_thread::sleep_for(std::chrono::milliseconds(1));
        ASSERT_EQ(store.kept(), store.written());
        disk.promise("two");
      }
      if (n == 3) sql::Database(path).run("PRAGMA wal_checkpoint(RESTART)");
    }
  }
  const std::size_t cuts = disk.cut_everywhere([&](const fakes::LossyDisk::Cut& cut) {
    Store store(path);
    EXPECT_GE(store.nodes().size(), cut.promised.size() * 2);
    EXPECT_EQ(store.events({}).size(), store.nodes().size());
  });
  EXPECT_GT(cuts, 20U);
}

TEST(Store, aCommitThatAFullDiskTakesLeavesNothingAndTheNextOneIsWhole) {
  const TempDir directory = TempDir::create("/tmp", "hearth-store-");
  const std::string path = (directory.path() / "state.db").string();
  Store store(path);
  const auto commit = [&](const std::string& uuid) {
    const Node node = node_named(uuid);
    std::vector<Event> events = {{0, 1, uuid, "", "state", "a -> b", {}}};
    store.commit({&node}, {}, events);
  };
  std::size_t kept = 0;
  bool was_full = true;
  for (std::size_t writes = 0; was_full; ++writes) {
    ASSERT_LT(writes, 60U);
    {
      fakes::LossyDisk disk(directory.path());
      disk.fill_after(writes);
      try {
        commit(cat("full", writes));
        ++kept;
      } catch (const Error&) {
        EXPECT_TRUE(disk.was_full());
      }
      was_full = disk.was_full();
    }
    EXPECT_EQ(store.nodes().size(), kept);
    commit(cat("room", writes));
    ++kept;
    EXPECT_EQ(store.nodes().size(), kept);
    EXPECT_EQ(store.events({}).size(), kept);
  }
}

TEST(Store, documentsAreFoundByTheirPrefixAndNoOther) {
  Store store(":memory:");
  store.put_document("image/a", {{"kernel", "k"}});
  store.put_document("image/b_", {{"kernel", "l"}});
  store.put_document("imagery", 1);
  store.put_document("image/a", {{"kernel", "m"}});
  ASSERT_EQ(store.documents("image/").size(), 2U);
  EXPECT_EQ(store.document("image/a").value()["kernel"], "m");
  store.remove_document("image/a");
  EXPECT_FALSE(store.document("image/a"));
}

TEST(Store, aRowThatCannotBeReadIsToldAndLeftAsItIs) {
  const TempDir directory = TempDir::create(fs::temp_directory_path(), "store.");
  const std::string file = (directory.path() / "state.db").string();
  const Node good = node_named("11111111-1111-4111-8111-111111111111");
  std::vector<Event> events;
  Store(file).commit({&good}, {}, events);
  const std::map<std::string, std::string> broken = {
      {"cut", R"({"uuid": "cut")"}, {"list", "[]"}, {"number", R"({"uuid": 7})"}, {"other", R"({"uuid": "x"})"}};
  for (const auto& [uuid, record] : broken)
    sql::Database(file).prepare("INSERT INTO nodes VALUES (?, ?)").bind(1, uuid).bind(2, record).execute();
  for (int opened = 0; opened < 2; ++opened) {  // the second finds all that the first did
    Store store(file);
    EXPECT_ANY_THROW(static_cast<void>(store.nodes()));
    fakes::ManualClock clock;
    const Ledger ledger(store, clock);
    ASSERT_EQ(ledger.nodes().size(), 1U);
    EXPECT_EQ(ledger.nodes().begin()->first, good.uuid);
    for (const auto& [uuid, record] : broken) EXPECT_EQ(ledger.set_aside().count(uuid), 1U) << record;
  }
}

TEST(Store, aFileOfANewerVersionIsRefused) {
  const TempDir directory = TempDir::create("/tmp", "hearth-store-");
  const std::string path = (directory.path() / "state.db").string();
  { sql::Database(path).run("PRAGMA user_version = 99"); }
  EXPECT_THROW(Store{path}, Error);
}

class SealedStore : public testing::Test {
 protected:
  static Node secret_node(const std::string& uuid = "u1") {
    Node node = node_named(uuid);
    node.driver_info = {{"redfish_password", "s3cret of the BMC"}};
    return node;
  }
  void keep() {
    Store store(path_);
    const Node node = secret_node();
    std::vector<Event> events = {{0, 1, "u1", "web1", "state", "a -> b", {}}};
    store.commit({&node}, {}, events, {{"deploy-template/x", {{"password", "s3cret of a step"}}}});
  }
  /// As a Hearth before anything was sealed kept it.
  void keep_in_the_clear() {
    keep();
    fs::remove(keys_);
    sql::Database database(path_);
    database.run("PRAGMA secure_delete = OFF; DELETE FROM settings; PRAGMA user_version = 1");
    const std::string record = format_json(node_record(secret_node()));
    database.prepare("UPDATE nodes SET record = ?").bind(1, record).execute();
    database.prepare("UPDATE documents SET body = ?").bind(1, R"({"password": "s3cret of a step"})").execute();
    for (int n = 0; n < 50; ++n) {  // nodes that are gone, on pages that are free
      const std::string gone = cat("s3cret of node ", n, std::string(3000, '.'));
      database.prepare("INSERT INTO nodes VALUES (?, ?)").bind(1, cat("gone", n)).bind(2, gone).execute();
    }
    database.run("DELETE FROM nodes WHERE uuid LIKE 'gone%'");
  }
  /// Files of the directory with one of the secrets.
  std::vector<std::string> in_the_clear() {
    std::vector<std::string> names;
    for (const auto& entry : fs::directory_iterator(directory_.path())) {
      if (read_file(entry.path()).find("s3cret") != std::string::npos)
        names.push_back(entry.path().filename().string());
    }
    return names;
  }
  std::string refusal() {
    try {
      Store store(path_);
    } catch (const Error& error) {
      return error.story();
    }
    return "";
  }
  void expect_whole() {
    Store store(path_);
    ASSERT_EQ(store.nodes().size(), 1U);
    EXPECT_EQ(store.node("u1").value().driver_info["redfish_password"], "s3cret of the BMC");
    EXPECT_EQ(store.document("deploy-template/x").value()["password"], "s3cret of a step");
    EXPECT_EQ(store.documents("deploy-template/").size(), 1U);
    EXPECT_EQ(store.last_event(), 1);
  }
  TempDir directory_ = TempDir::create("/tmp", "hearth-store-");
  std::string path_ = (directory_.path() / "state.db").string();
  fs::path keys_ = directory_.path() / "seal-key";
};

TEST_F(SealedStore, NoSecretOfANodeOrADocumentStandsInItsFiles) {
  keep();
  EXPECT_THAT(in_the_clear(), testing::IsEmpty());
  EXPECT_EQ(fs::status(keys_).permissions(), fs::perms::owner_read | fs::perms::owner_write);
  expect_whole();
  Store open(path_);  // its log, too
  EXPECT_THAT(in_the_clear(), testing::IsEmpty());
}

TEST_F(SealedStore, WhatAnOlderHearthKeptIsSealedAndWiped) {
  keep_in_the_clear();
  ASSERT_THAT(in_the_clear(), testing::Not(testing::IsEmpty())) << "else this test sees nothing";
  expect_whole();
  EXPECT_THAT(in_the_clear(), testing::IsEmpty());
  sql::Database database(path_);
  sql::Statement version = database.prepare("PRAGMA user_version");
  version.step();
  EXPECT_EQ(version.number(0), 2) << "an older Hearth refuses it";
}

TEST_F(SealedStore, WithoutItsKeyItIsRefusedAndTheKeyNamed) {
  keep();
  const std::string key = read_file(keys_);
  fs::remove(keys_);
  EXPECT_THAT(refusal(), testing::AllOf(testing::HasSubstr("which " + keys_.string() + " would have: it is not there"),
                                        testing::HasSubstr("from a backup")));
  EXPECT_FALSE(fs::exists(keys_)) << "another key would hide that";
  (void)Seal::read_or_make(keys_);
  EXPECT_THAT(refusal(), testing::HasSubstr("does not have"));
  RealFileSystem().write(keys_, key, {.mode = 0600});
  expect_whole();
}

TEST_F(SealedStore, ANewKeySealsAtTheNextStart) {
  keep();
  rotate_seal(keys_, 1);
  expect_whole();
  const std::string former = Seal::read(keys_).key_id();
  forget_former_keys(keys_, former, 2);
  expect_whole();
  sql::Database database(path_);
  sql::Statement row = database.prepare("SELECT record FROM nodes");
  row.step();
  EXPECT_THAT(row.text(0), testing::HasSubstr(former));
}

TEST_F(SealedStore, ANewKeySealsWhatIsServedAtOnceAndOneWithoutTheFormerIsRefused) {
  keep();
  Store store(path_);
  EXPECT_FALSE(store.seal_anew(true));
  const std::string good = read_file(keys_);
  fs::remove(keys_);
  (void)Seal::read_or_make(keys_);
  EXPECT_THROW((void)store.seal_anew(false), Error);
  EXPECT_EQ(store.nodes().size(), 1U);
  RealFileSystem().write(keys_, good, {.mode = 0600});
  rotate_seal(keys_, 1);
  EXPECT_TRUE(store.seal_anew(false));
  EXPECT_FALSE(store.seal_anew(true));
  const std::string fresh = Seal::read(keys_).key_id();
  forget_former_keys(keys_, fresh, 2);
  sql::Database database(path_);
  sql::Statement row = database.prepare("SELECT record FROM nodes");
  row.step();
  EXPECT_THAT(row.text(0), testing::HasSubstr(fresh));
  row.reset();
  const Node node = secret_node();
  std::vector<Event> none;
  store.commit({&node}, {}, none, {{"deploy-template/x", {{"password", "s3cret of a step"}}}});
  expect_whole();
}

TEST_F(SealedStore, AKeyThatIsRemovedBesideItIsPutBack) {
  Store store(path_);
  EXPECT_FALSE(store.put_back_key());
  const std::string key = read_file(keys_);
  fs::remove(keys_);
  EXPECT_TRUE(store.put_back_key());
  EXPECT_EQ(read_file(keys_), key);
}

TEST_F(SealedStore, ARotationThatCantBeDoneIsPutOffAndTheFormerKeyServes) {
  keep();
  const std::string former = Seal::read(keys_).key_id();
  rotate_seal(keys_, 1);
  sql::Database(path_).run("CREATE TRIGGER full BEFORE UPDATE ON nodes BEGIN SELECT RAISE(FAIL, 'no room'); END");
  {
    Store store(path_);
    EXPECT_THAT(store.put_off(), testing::HasSubstr("no room"));
    EXPECT_EQ(store.node("u1").value().driver_info["redfish_password"], "s3cret of the BMC");
    store.put_document("later", {{"a", 1}});
  }
  sql::Database(path_).run("DROP TRIGGER full");
  expect_whole();
  EXPECT_TRUE(Store(path_).put_off().empty());
  EXPECT_EQ(Store(path_).document("later").value()["a"], 1);
}

TEST_F(SealedStore, OneThatDoesNotSayWithWhichKeyIsNotSealedTwice) {
  keep();
  sql::Database(path_).run("DELETE FROM settings");
  EXPECT_THAT(refusal(), testing::HasSubstr("does not say with which key"));
}

TEST_F(SealedStore, ARecordInAnotherNodesPlaceIsToldAndNotTaken) {
  keep();
  sql::Database(path_).run("UPDATE nodes SET uuid = 'u2'");
  std::string told;
  Store store(path_);
  EXPECT_TRUE(
      store.nodes([&](const std::string& uuid, const std::string& why) { told = cat(uuid, ": ", why); }).empty());
  EXPECT_THAT(told, testing::HasSubstr("u2: it is not as it was sealed"));
}

TEST_F(SealedStore, APowerCutWhileItIsSealedLeavesOneThatOpens) {
  keep_in_the_clear();
  fakes::LossyDisk disk(directory_.path());
  { Store sealing(path_); }
  const std::size_t cuts = disk.cut_everywhere([&](const fakes::LossyDisk::Cut&) { expect_whole(); });
  EXPECT_GT(cuts, 3U);
}

TEST(Store, keepsSoManyEventsAndForgetsTheOlderOnes) {
  Store store(":memory:");
  std::vector<Event> events(10);
  store.commit({}, {}, events);
  store.keep_events(3);
  const std::vector<Event> left = store.events({0, 100, "", false});
  ASSERT_EQ(left.size(), 3U);
  EXPECT_EQ(left.front().id, 8);
  store.keep_events(3);
  EXPECT_EQ(store.last_event(), 10) << "ids go on";
}

}  // namespace
}  // namespace hearth::bootstrap
