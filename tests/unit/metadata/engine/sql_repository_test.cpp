#include "metadata/engine/sql_repository.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "base/base64.hpp"
#include "base/error.hpp"
#include "base/sys/file.hpp"
#include "base/text.hpp"
#include "metadata/engine/open_repository.hpp"
#include "tests/fakes/failing_connection.hpp"
#include "tests/fakes/lossy_disk.hpp"

namespace hearth::metadata::live {
namespace {

class RepositoryTest : public testing::Test {
 protected:
  RepositoryTest() { open(); }
  void open() { repository_ = std::make_unique<SqlRepository>(path()); }
  std::string path() { return (directory_.path() / "state.db").string(); }

  static StackTree tree() {
    StackTree tree;
    tree.id = "id-1";
    tree.name = "s";
    tree.project = "admin";
    tree.body = Json::parse(R"({"template": {}})");
    tree.add_stack({"id-1", "s", "", false, {{"a", "T", Role::nested, {}, ""}, {"b", "T", Role::plain, {"a"}, ""}}},
                   k_none, 5);
    tree.add_stack({"id-2", "s-a", "", true, {{"0", "T", Role::plain, {}, ""}}}, 0, 5);
    return tree;
  }
  static Changes everything() {
    Changes changes;
    changes.definition = true;
    changes.stacks = {0, 1};
    changes.resources = {0, 1, 2};
    changes.events = {{0, "e-1", "id-1", "id-1", "s", "id-1", "T", "CREATE_IN_PROGRESS", "r", 5},
                      {0, "e-2", "id-1", "id-2", "0", "p", "T", "CREATE_COMPLETE", "r", 6}};
    return changes;
  }

  TempDir directory_ = TempDir::create("/tmp", "repository-");
  std::unique_ptr<SqlRepository> repository_;
};

TEST_F(RepositoryTest, GivesBackATreeAsItWas) {
  StackTree stored = tree();
  Changes changes = everything();
  repository_->save(stored, changes);
  EXPECT_NE(stored.resource(0).row, 0);
  open();
  const std::vector<StackTree> trees = repository_->load().trees;
  ASSERT_EQ(trees.size(), 1U);
  EXPECT_EQ(trees[0].root().name, "s");
  EXPECT_EQ(trees[0].body, stored.body);
  const std::size_t inner = trees[0].find_path("a.0");
  ASSERT_NE(inner, k_none);
  EXPECT_EQ(trees[0].stack(trees[0].resource(inner).stack).id, "id-2");
}

TEST_F(RepositoryTest, OldEventsGoAndSoDoThoseOfAStackThatWent) {
  StackTree stored = tree();
  for (int step = 0; step < 30; ++step) {
    Changes changes;
    for (int i = 0; i < 100; ++i) changes.events.push_back({0, "e", "id-1", "id-1", "s", "p", "T", "X", "r", step});
    changes.events.push_back({0, "n", "id-1", "id-2", "0", "p", "T", "X", "r", step});
    if (step == 0) changes.stacks = {0, 1};
    changes.definition = step == 0;
    repository_->save(stored, changes);
  }
  const std::vector<EventRecord> left = repository_->events({{"id-1"}});
  EXPECT_GE(left.size(), 1000U);
  EXPECT_LE(left.size(), 1200U);
  EXPECT_EQ(left.back().time, 29);
  EXPECT_EQ(repository_->events({{"id-2"}}).size(), 30U);
  stored.drop_resource(stored.find_path("a"));
  Changes changes;
  changes.stacks = {1};
  repository_->save(stored, changes);
  EXPECT_TRUE(repository_->events({{"id-2"}}).empty());
}

TEST_F(RepositoryTest, EventsAreCountedOnceInAStepHoweverManyItHas) {
  fakes::StoreFaults faults;
  SqlRepository repository(
      sql::Database(std::make_unique<fakes::FailingConnection>(sql::detail::open_sqlite(":memory:"), faults), false));
  StackTree stored = tree();
  const auto calls_for = [&](int events) {
    Changes changes;
    for (int i = 0; i < events; ++i) changes.events.push_back({0, "e", "id-1", "id-1", "s", "p", "T", "X", "r", 1});
    const std::size_t before = faults.calls;
    repository.save(stored, changes);
    return faults.calls - before;
  };
  EXPECT_EQ(calls_for(4000) - calls_for(200), 3800U) << "a stack of 100,000 resources takes hours else";
}

TEST_F(RepositoryTest, EventsOfADeletedStackGoAfterNinetyDays) {
  StackTree stored = tree();
  Changes changes = everything();
  repository_->save(stored, changes);
  repository_->remove("id-1");
  EXPECT_TRUE(repository_->event("e-1")) << "for whoever asks why it went";
  StackTree other = tree();
  other.id = "id-9";
  Changes later;
  later.definition = true;
  later.events = {{0, "e-9", "id-9", "id-9", "s", "p", "T", "X", "r", 8000000}};
  repository_->save(other, later);
  repository_->remove("nobody");
  EXPECT_FALSE(repository_->event("e-1"));
  EXPECT_TRUE(repository_->event("e-9"));
}

TEST_F(RepositoryTest, WhatWentIsRemovedAndARowIsWrittenOver) {
  StackTree stored = tree();
  Changes changes = everything();
  repository_->save(stored, changes);
  stored.drop_resource(stored.find_path("a"));
  stored.own_resource(1).reason = "another";
  Changes later;
  later.resources = {0, 1};
  later.stacks = {1};
  repository_->save(stored, later);
  open();
  const std::vector<StackTree> trees = repository_->load().trees;
  EXPECT_EQ(trees[0].find_path("a"), k_none);
  EXPECT_EQ(trees[0].find_path("a.0"), k_none);
  EXPECT_EQ(trees[0].stacks().size(), 1U);
  EXPECT_EQ(trees[0].resource(trees[0].find_path("b")).reason, "another");
  repository_->remove("id-1");
  EXPECT_TRUE(repository_->load().trees.empty());
}

TEST_F(RepositoryTest, EventsAreOnlyEverAdded) {
  StackTree stored = tree();
  Changes changes = everything();
  repository_->save(stored, changes);
  EventQuery query;
  query.stacks = {"id-1", "id-2"};
  EXPECT_EQ(repository_->events(query).size(), 2U);
  query.after = repository_->events(query)[0].number;
  EXPECT_EQ(repository_->events(query)[0].id, "e-2");
  query = {};
  query.stacks = {"id-2"};
  query.resource = "0";
  EXPECT_EQ(repository_->events(query).size(), 1U);
  query.resource = "1";
  EXPECT_TRUE(repository_->events(query).empty());
  EXPECT_EQ(repository_->event("e-2")->time, 6);
  EXPECT_FALSE(repository_->event("e-3"));
}

TEST_F(RepositoryTest, KeepsSettingsAndObjects) {
  repository_->set("retired/a", "1");
  repository_->set("retired/b", "2");
  repository_->set("retired/b", "3");
  repository_->set("other", "4");
  EXPECT_THAT(repository_->settings_below("retired/"), testing::ElementsAre("1", "3"));
  EXPECT_EQ(repository_->setting("other") + repository_->setting("none"), "4");
  repository_->put_object("p", {std::string("\0\xff", 2), "t", 7});
  EXPECT_EQ(repository_->object("p")->body, std::string("\0\xff", 2));
  EXPECT_TRUE(repository_->remove_object("p"));
  EXPECT_FALSE(repository_->object("p"));
}

TEST_F(RepositoryTest, AFileOfANewerVersionIsRefused) {
  repository_.reset();
  sql::Database(path()).run("UPDATE setting SET value = '99' WHERE name = 'version'");
  try {
    open();
    FAIL();
  } catch (const Error& error) {
    EXPECT_THAT(error.what(), testing::HasSubstr("newer hearth"));
  }
}

/// What must be in no file in the clear, in each place where such things come to.
constexpr const char* k_hidden = "Zq7+hunter2~\"x-tzG";

class SealedRepositoryTest : public RepositoryTest {
 protected:
  fs::path keys() { return directory_.path() / "seal-key"; }
  void open_sealed() {
    repository_.reset();
    repository_ = std::make_unique<SqlRepository>(path(), keys());
  }
  std::string story_of_opening(const fs::path& with) {
    repository_.reset();
    try {
      (void)SqlRepository(path(), with);
    } catch (const Error& error) {
      return error.story();
    }
    return "";
  }
  void fill() {
    StackTree stored = tree();
    stored.body["environment"]["parameters"]["p"] = k_hidden;
    stored.previous_body["environment"]["parameters"]["p"] = k_hidden;
    stored.own_resource(0).data.name = k_hidden;
    stored.own_resource(1).reason = k_hidden;
    Changes changes = everything();
    for (int i = 0; i < 4; ++i) changes.events.push_back({0, "e", "id-1", "id-1", "s", "p", "T", "X", k_hidden, 7});
    changes.settings.emplace_back("snapshot/id-1/1", Json({{"p", k_hidden}}).dump());
    repository_->save(stored, changes);
    repository_->set("secret", k_hidden);
    repository_->put_object("path", {cat(std::string("\0\xff", 2), k_hidden), "t", 7});
    Changes again = everything();  // what was there before stays in pages that are free
    for (EventRecord& event : again.events) event.reason = std::string(3000, '.');
    stored.own_resource(0).data.name = cat(std::string(5000, '-'), k_hidden);
    repository_->save(stored, again);
    stored.own_resource(0).data.name = k_hidden;
    repository_->save(stored, again);
  }
  void expect_all_there() {
    const StoredStacks stored = repository_->load();
    ASSERT_EQ(stored.trees.size(), 1U);
    EXPECT_TRUE(stored.unreadable.empty());
    const StackTree& found = stored.trees[0];
    EXPECT_EQ(found.project, "admin");
    EXPECT_EQ(found.body["environment"]["parameters"]["p"], k_hidden);
    EXPECT_EQ(found.previous_body["environment"]["parameters"]["p"], k_hidden);
    EXPECT_EQ(found.resource(found.find_path("a")).data.name, k_hidden);
    EXPECT_EQ(found.resource(found.find_path("b")).reason, k_hidden);
    EXPECT_EQ(repository_->events({{"id-1"}}).at(3).reason, k_hidden);
    EXPECT_EQ(repository_->setting("secret"), k_hidden);
    EXPECT_EQ(repository_->object("path")->body, cat(std::string("\0\xff", 2), k_hidden));
    EXPECT_EQ(Json::parse(repository_->settings_below("snapshot/").at(0))["p"], k_hidden);
  }
  /// In which files of the directory it stands, however it is written there.
  std::string where_in_the_clear() {
    std::string found;
    for (const std::string& name : RealFileSystem().list(directory_.path())) {
      const std::string bytes = read_file(directory_.path() / name);
      const std::string escaped = Json(k_hidden).dump();
      for (const std::string& form :
           {std::string(k_hidden), escaped.substr(1, escaped.size() - 2), base64_encode(k_hidden).substr(0, 20),
            base64_encode(cat("x", k_hidden)).substr(4, 16), base64_encode(cat("xx", k_hidden)).substr(4, 16)}) {
        if (bytes.find(form) != std::string::npos) found += cat(name, " ");
      }
    }
    return found;
  }
};

TEST_F(SealedRepositoryTest, KeepsNothingInTheClearAndGivesItBack) {
  open_sealed();
  fill();
  expect_all_there();
  EXPECT_EQ(where_in_the_clear(), "");
  open_sealed();
  expect_all_there();
  repository_->remove("id-1");
  repository_.reset();
  EXPECT_EQ(where_in_the_clear(), "");
}

TEST_F(SealedRepositoryTest, WhatWasInTheClearIsSealedWhenItIsOpenedAndNothingIsLeftOfIt) {
  fill();
  EXPECT_THAT(where_in_the_clear(), testing::HasSubstr("state.db-wal")) << "else this test sees nothing";
  open_sealed();
  EXPECT_EQ(where_in_the_clear(), "");
  expect_all_there();
  repository_.reset();
  EXPECT_EQ(where_in_the_clear(), "");
  EXPECT_THAT(story_of_opening({}), testing::HasSubstr("and no key was given"));
  sql::Database raw(path());
  sql::Statement version = raw.prepare("SELECT value FROM setting WHERE name = 'version'");
  ASSERT_TRUE(version.step());
  EXPECT_EQ(version.text(0), "2") << "a Hearth that knows of no seal refuses it";
}

TEST_F(SealedRepositoryTest, IsSealedThoughEachCallFailsOnceMeanwhile) {
  fill();
  repository_.reset();
  const std::string before = read_file(path());
  std::size_t failures = 0;
  for (std::size_t fails_at = 1; failures + 1 == fails_at; ++fails_at) {
    repository_.reset();
    for (const char* part : {"state.db-wal", "state.db-shm", "seal-key"}) fs::remove(directory_.path() / part);
    RealFileSystem().write(path(), before, {.mode = 0600, .uid = {}, .gid = {}});
    fakes::StoreFaults faults{.calls = 0, .fails_at = fails_at};
    try {
      SqlRepository failing(
          sql::Database(std::make_unique<fakes::FailingConnection>(sql::detail::open_sqlite(path()), faults), false),
          keys());
    } catch (const sql::StoreError& error) {
      ++failures;
      EXPECT_TRUE(fails_at < 20 || error.story().find("The next start goes on") != std::string::npos) << error.story();
    }
    open_sealed();
    expect_all_there();
    EXPECT_EQ(where_in_the_clear(), "") << fails_at;
    if (HasFailure()) return;
  }
  EXPECT_GT(failures, 30U);
}

TEST_F(SealedRepositoryTest, ALargeOneIsWipedThoughAThreadStillMovesItsLog) {
  fill();
  repository_->put_object("large", {std::string(std::size_t{6} << 20U, 'x'), "t", 7});
  open_sealed();
  rotate_seal(keys(), 1000);
  ASSERT_NO_THROW(open_sealed());
  EXPECT_EQ(where_in_the_clear(), "");
  EXPECT_EQ(repository_->object("large")->body.size(), std::size_t{6} << 20U);
}

TEST_F(SealedRepositoryTest, WithoutItsKeyItSaysWhichIsMissingAndMakesNone) {
  open_sealed();
  fill();
  const std::string id = Seal::read(keys()).key_id();
  const fs::path elsewhere = directory_.path() / "elsewhere";
  EXPECT_THAT(
      story_of_opening(elsewhere),
      testing::AllOf(testing::HasSubstr(cat("sealed with the key ", id)), testing::HasSubstr(elsewhere.string()),
                     testing::HasSubstr("it is not there"), testing::HasSubstr("--seal-key")));
  EXPECT_FALSE(fs::exists(elsewhere));
  (void)Seal::read_or_make(elsewhere);
  EXPECT_THAT(story_of_opening(elsewhere), testing::HasSubstr("does not have"));
  fs::copy_file(keys(), elsewhere, fs::copy_options::overwrite_existing);
  EXPECT_EQ(story_of_opening(elsewhere), "");
  sql::Database(path()).run("DELETE FROM setting WHERE name = 'sealed'");
  EXPECT_THAT(story_of_opening(keys()), testing::HasSubstr("does not say with which key")) << "it is not sealed twice";
}

TEST_F(SealedRepositoryTest, IsSealedAnewAfterARotationAndTheFormerKeyReadsCopiesOfBefore) {
  open_sealed();
  fill();
  const std::string before = Seal::read(keys()).key_id();
  repository_.reset();
  fs::copy_file(path(), directory_.path() / "copy");
  rotate_seal(keys(), 1000);
  open_sealed();
  expect_all_there();
  EXPECT_EQ(read_file(path()).find(before), std::string::npos) << "in no page";
  repository_ = std::make_unique<SqlRepository>((directory_.path() / "copy").string(), keys());
  expect_all_there();
  forget_former_keys(keys(), repository_->sealed_with(), 2000);
  open_sealed();
  expect_all_there();
}

TEST_F(SealedRepositoryTest, ARotationIsTakenWhileItIsInUseThoughEachCallFailsOnceMeanwhile) {
  open_sealed();
  fill();
  const std::string former = Seal::read(keys()).key_id();
  repository_.reset();
  const std::string before = read_file(path());
  const std::string unrotated = read_file(keys());
  std::size_t failures = 0;
  for (bool failed = true; failed;) {
    for (const char* part : {"state.db-wal", "state.db-shm"}) fs::remove(directory_.path() / part);
    RealFileSystem().write(path(), before, {.mode = 0600, .uid = {}, .gid = {}});
    RealFileSystem().write(keys(), unrotated, {.mode = 0600, .uid = {}, .gid = {}});
    fakes::StoreFaults faults;
    failed = false;
    repository_ = std::make_unique<SqlRepository>(
        sql::Database(std::make_unique<fakes::FailingConnection>(sql::detail::open_sqlite(path()), faults), false),
        keys());
    std::size_t breaths = 0;
    const auto breathe = [&] {
      ++breaths;
      EXPECT_EQ(repository_->setting("secret"), k_hidden) << "others are served";
    };
    repository_->meanwhile(breathe);
    EXPECT_FALSE(repository_->seal_anew());
    rotate_seal(keys(), 1000);
    faults.fails_at = faults.calls + failures + 1;
    try {
      EXPECT_TRUE(repository_->seal_anew());
      EXPECT_GT(breaths, 5U);
    } catch (const sql::StoreError&) {
      failed = true;
      ++failures;
    }
    faults.fails_at = 0;
    EXPECT_EQ(repository_->sealed_with() == former, failed);
    EXPECT_FALSE(repository_->seal_anew()) << "once for each change of the file";
    repository_->set("later", "kept");
    expect_all_there();
    EXPECT_EQ(repository_->seal_anew(true), failed) << "what could not be done is done later";
    forget_former_keys(keys(), repository_->sealed_with(), 2000);
    open_sealed();
    expect_all_there();
    EXPECT_EQ(repository_->setting("later"), "kept");
    repository_.reset();
    EXPECT_EQ(read_file(path()).find(former), std::string::npos) << "in no page, after the next start";
    if (HasFailure()) return;
  }
  EXPECT_GT(failures, 20U);
}

TEST_F(SealedRepositoryTest, WhatANewDatabaseHeldBeforeARotationIsWipedAtTheNextStart) {
  const std::string fresh = (directory_.path() / "new.db").string();
  const auto has_to_be_wiped = [&] {
    sql::Database raw(fresh);
    return raw.prepare("SELECT value FROM setting WHERE name = 'unwiped'").step();
  };
  {
    SqlRepository repository(fresh, keys());
    rotate_seal(keys(), 1000);
    EXPECT_TRUE(repository.seal_anew());
  }
  EXPECT_TRUE(has_to_be_wiped());
  (void)SqlRepository(fresh, keys());
  EXPECT_FALSE(has_to_be_wiped());
}

TEST_F(SealedRepositoryTest, AFileOfKeysThatLacksTheOneInUseIsNotTaken) {
  open_sealed();
  fill();
  const std::string right = read_file(keys());
  (void)Seal::read_or_make(directory_.path() / "other");
  rotate_seal(directory_.path() / "other", 1000);
  RealFileSystem().write(keys(), read_file(directory_.path() / "other"), {.mode = 0600, .uid = {}, .gid = {}});
  EXPECT_THROW((void)repository_->seal_anew(), Error);
  RealFileSystem().write(keys(), right, {.mode = 0600, .uid = {}, .gid = {}});
  EXPECT_FALSE(repository_->seal_anew());
  expect_all_there();
}

TEST_F(SealedRepositoryTest, ARotationThatCantBeDoneIsPutOffAndTheFormerKeySealsOn) {
  open_sealed();
  fill();
  const std::string former = Seal::read(keys()).key_id();
  repository_.reset();
  const std::string before = read_file(path());
  rotate_seal(keys(), 1000);
  const std::string rotated = read_file(keys());
  std::size_t put_off = 0;
  std::size_t fails_at = 1;
  for (bool failed = true; failed; fails_at += 3) {
    for (const char* part : {"state.db-wal", "state.db-shm"}) fs::remove(directory_.path() / part);
    RealFileSystem().write(path(), before, {.mode = 0600, .uid = {}, .gid = {}});
    RealFileSystem().write(keys(), rotated, {.mode = 0600, .uid = {}, .gid = {}});
    fakes::StoreFaults faults{.calls = 0, .fails_at = fails_at};
    failed = false;
    bool refused = false;
    try {
      SqlRepository failing(
          sql::Database(std::make_unique<fakes::FailingConnection>(sql::detail::open_sqlite(path()), faults), false),
          keys());
      faults.fails_at = 0;
      failed = !failing.put_off().empty();
      put_off += failed && failing.sealed_with() == former ? 1 : 0;
      failing.set("later", "kept");
      forget_former_keys(keys(), failing.sealed_with(), 2000);
    } catch (const sql::StoreError&) {
      failed = refused = true;
      EXPECT_LT(fails_at, 20U) << "before it was known to be sealed";
    }
    open_sealed();
    expect_all_there();
    EXPECT_EQ(repository_->put_off(), "");
    EXPECT_NE(repository_->sealed_with(), former);
    EXPECT_EQ(repository_->setting("later"), refused ? "" : "kept");
    repository_.reset();
    EXPECT_EQ(read_file(path()).find(former), std::string::npos) << "in no page";
    if (HasFailure()) return;
  }
  EXPECT_GT(put_off, 10U);
}

TEST_F(SealedRepositoryTest, WhatWasInTheClearIsNotServedBeforeItIsWiped) {
  fill();
  open_sealed();
  repository_.reset();
  sql::Database(path()).run("INSERT INTO setting VALUES ('unwiped', 'in the clear')");
  rotate_seal(keys(), 1000);
  const std::string before = read_file(path());
  std::size_t refused = 0;
  for (std::size_t fails_at = 20; refused + 20 == fails_at; ++fails_at) {
    for (const char* part : {"state.db-wal", "state.db-shm"}) fs::remove(directory_.path() / part);
    RealFileSystem().write(path(), before, {.mode = 0600, .uid = {}, .gid = {}});
    fakes::StoreFaults faults{.calls = 0, .fails_at = fails_at};
    try {
      const SqlRepository failing(
          sql::Database(std::make_unique<fakes::FailingConnection>(sql::detail::open_sqlite(path()), faults), false),
          keys());
      EXPECT_EQ(failing.put_off(), "");
    } catch (const sql::StoreError&) {
      ++refused;
    }
  }
  EXPECT_GT(refused, 20U);
}

TEST_F(SealedRepositoryTest, ANewOneHasNothingToWipe) {
  sql::Statement version = sql::Database(path()).prepare("PRAGMA schema_version");
  ASSERT_TRUE(version.step());
  const std::int64_t unsealed = version.number(0);
  const std::string other = (directory_.path() / "other").string();
  SqlRepository(other, keys()).set("a", "1");
  sql::Statement sealed = sql::Database(other).prepare("PRAGMA schema_version");
  ASSERT_TRUE(sealed.step());
  EXPECT_EQ(sealed.number(0), unsealed) << "VACUUM counts as a change";
}

TEST_F(SealedRepositoryTest, AnotherDatabaseInItsPlaceThatIsInTheClearIsNotTaken) {
  open_sealed();
  fill();
  sql::Database(path()).run(
      "DELETE FROM setting WHERE name = 'sealed'; UPDATE setting SET value = '1' WHERE name = 'version'");
  try {
    (void)repository_->load();
    FAIL();
  } catch (const sql::StoreError& error) {
    EXPECT_THAT(error.story(), testing::HasSubstr("Start the server again, which seals it"));
  }
}

TEST_F(SealedRepositoryTest, WhatSomebodySealedMeanwhileIsSealedOnWithHisKey) {
  open_sealed();
  fill();
  const std::string first = repository_->sealed_with();
  rotate_seal(keys(), 1000);
  open_sealed();
  Json reversed = Json::parse(read_file(keys()));
  std::swap(reversed["keys"][0], reversed["keys"][1]);
  reversed["keys"][1]["until"] = 1000;
  RealFileSystem().write(directory_.path() / "other", reversed.dump(), {.mode = 0600, .uid = {}, .gid = {}});
  SqlRepository other(path(), directory_.path() / "other");
  EXPECT_NE(repository_->sealed_with(), first);
  expect_all_there();
  EXPECT_EQ(repository_->sealed_with(), first);
  repository_->set("later", "1");
  EXPECT_EQ(other.setting("later"), "1");
}

TEST_F(SealedRepositoryTest, SomebodyElsesRowIsSetAsideWithItsNameAndItsAgents) {
  open_sealed();
  fill();
  StackTree other;
  other.id = "id-8";
  other.name = "other";
  other.body = other.previous_body = Json::object();
  other.add_stack({"id-8", "other", "", false, {}}, k_none, 5);
  Changes changes;
  changes.definition = true;
  changes.stacks = {0};
  repository_->save(other, changes);
  repository_.reset();
  sql::Database(path()).run(
      "UPDATE resource SET data = '{}' WHERE row = (SELECT max(row) FROM resource);"
      "UPDATE event SET reason = 'mine' WHERE number = (SELECT max(number) - 5 FROM event); UPDATE setting SET value = "
      "'{}' WHERE name LIKE 'snap%'");
  open_sealed();
  const StoredStacks stored = repository_->load();
  ASSERT_EQ(stored.unreadable.size(), 1U);
  EXPECT_EQ(stored.unreadable[0].name, "s");
  EXPECT_EQ(stored.unreadable[0].project, "admin");
  EXPECT_THAT(stored.unreadable[0].why, testing::HasSubstr("it is not sealed"));
  EXPECT_EQ(stored.trees.size(), 1U);
  const std::vector<EventRecord> events = repository_->events({{"id-1"}});
  EXPECT_GE(events.size(), 7U) << "the others are shown";
}

TEST_F(SealedRepositoryTest, ARowThatChangedItsPlaceIsNotOpened) {
  open_sealed();
  repository_->set("a", "1");
  repository_->set("b", "2");
  repository_.reset();
  sql::Database(path()).run("UPDATE setting SET value = (SELECT value FROM setting WHERE name = 'a') WHERE name = 'b'");
  open_sealed();
  EXPECT_EQ(repository_->setting("a"), "1");
  try {
    (void)repository_->setting("b");
    FAIL();
  } catch (const Error& error) {
    EXPECT_THAT(error.what(), testing::HasSubstr("the row b of the table setting"));
  }
}

TEST_F(SealedRepositoryTest, NoPowerCutLeavesWhatNobodyCanOpen) {
  fill();
  repository_.reset();
  fakes::LossyDisk disk(directory_.path());
  open_sealed();
  disk.promise("sealed");
  repository_->set("later", k_hidden);
  disk.promise("later");
  repository_.reset();
  const std::size_t cuts = disk.cut_everywhere([&](const fakes::LossyDisk::Cut& cut) {
    EXPECT_TRUE(cut.promised.empty() || fs::exists(keys()));
    open_sealed();
    expect_all_there();
    EXPECT_EQ(repository_->setting("later"), cut.promised.size() > 1 ? k_hidden : repository_->setting("later"));
    EXPECT_EQ(where_in_the_clear(), "");
    repository_.reset();
  });
  EXPECT_GT(cuts, 10U);
}

TEST(OpenRepository, TakesAFileOrAUrlThatItKnows) {
  const TempDir directory = TempDir::create("/tmp", "repository-");
  const fs::path keys = directory.path() / "seal-key";
  open_repository("", directory.path(), keys)->set("a", "1");
  EXPECT_EQ(open_repository("", directory.path(), keys)->setting("a"), "1");
  EXPECT_THROW((void)open_repository("mysql://h/d", directory.path(), keys), Error);
}

}  // namespace
}  // namespace hearth::metadata::live
