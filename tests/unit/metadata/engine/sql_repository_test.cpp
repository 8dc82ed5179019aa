#include "metadata/engine/sql_repository.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "base/error.hpp"
#include "base/sys/file.hpp"
#include "metadata/engine/open_repository.hpp"
#include "tests/fakes/failing_connection.hpp"

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
  const std::vector<Event> left = repository_->events({{"id-1"}});
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
  stored.resource(1).reason = "another";
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

TEST(OpenRepository, TakesAFileOrAUrlThatItKnows) {
  const TempDir directory = TempDir::create("/tmp", "repository-");
  open_repository("", directory.path())->set("a", "1");
  EXPECT_EQ(open_repository("", directory.path())->setting("a"), "1");
  EXPECT_THROW((void)open_repository("mysql://h/d", directory.path()), Error);
}

}  // namespace
}  // namespace hearth::metadata::live
