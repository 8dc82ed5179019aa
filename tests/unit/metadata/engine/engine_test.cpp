#include "base/sql/database.hpp"
#include "tests/unit/metadata/engine/engine_fixture.hpp"

namespace hearth::metadata::live {
namespace {

using testing::HasSubstr;

TEST_F(EngineTest, UpdatesLeaveNothingBehindInMemory) {
  const auto stack = [](int input) {
    return cat(R"({"s": {"role": "server", "name": "node"}, "g": {"role": "nested", "is_group": true, "stack": {)",
               R"("m)", input, R"(": {"role": "fixed"}}}, "f": {"role": "fixed", "properties": {"v": )", input, "}},",
               R"("d": {"role": "deployment", "server": "s", "needs": ["s"], "properties": {"v": )", input, "}}}");
  };
  const std::string id = create("st", stack(0));
  (void)engine_->signal(id, "d", Json::object());
  for (int update = 1; update < 200; ++update) {
    engine_->update(id, body(stack(update)));
    (void)engine_->signal(id, "d", Json::object());
    ASSERT_EQ(status("st"), "UPDATE_COMPLETE");
    engine_->tick();
  }
  EXPECT_LT(engine_->find("st").live->tree.resources().size(), 100U);
  EXPECT_EQ(metadata("st", "s")["deployments"].size(), 1U);
  EXPECT_EQ(metadata("st", "s")["deployments"][0]["inputs"]["v"], 199);
  restart();
  EXPECT_EQ(metadata("st", "s")["deployments"][0]["inputs"]["v"], 199);
}

TEST_F(EngineTest, AStackIsDrivenToItsEndBySignals) {
  const std::string id = create("s1", k_one_server);
  EXPECT_EQ(status("s1"), "CREATE_IN_PROGRESS");
  (void)engine_->signal(id, "d1", Json::parse(R"({"result": "42"})"));
  (void)engine_->signal(id, "d2", Json::object());
  EXPECT_EQ(status(id), "CREATE_COMPLETE");
  EventQuery query;
  query.stacks = {id};
  const std::vector<EventRecord> events = engine_->events(query);
  EXPECT_EQ(events.front().reason, "Stack CREATE started");
  EXPECT_EQ(events.back().reason, "Stack CREATE completed successfully");
  query.after = events[1].number;
  query.limit = 1;
  EXPECT_EQ(engine_->events(query)[0].id, events[2].id);
  EXPECT_EQ(engine_->event(events[2].id)->number, events[2].number);
}

class KnownTest : public EngineTest {
 protected:
  std::map<std::string, Json> known() {
    return dynamic_cast<fakes::SimpleBlueprint&>(engine_->blueprint(*engine_->find("s").live)).known;
  }
  /// What is known of each resource is known after a kill, too.
  void expect_kept(const std::string& when) {
    const auto before = known();
    restart();
    EXPECT_EQ(known(), before) << when;
  }
  void mark_unhealthy(const std::string& path) {
    const StackPlace place = engine_->find("s");
    engine_->mark(*place.live, place.live->tree.find_path(path), true, "it does not answer");
  }
};

TEST_F(KnownTest, WhateverBecameOfAResourceWhatItToldIsKnownAfterAKill) {
  const std::string id = create("s", R"({"h": {"role": "wait_handle"},
    "w": {"role": "wait_condition", "handle": "h", "count": 3, "needs": ["h"]}, "k": {"role": "wait_handle"},
    "done": {"role": "wait_condition", "handle": "k", "needs": ["k"]}, "s": {"role": "server", "is_machine": true},
    "d": {"role": "deployment", "server": "s", "needs": ["s"], "outputs": [{"name": "o"}]}})");
  engine_->machine_came(at("s", "s").physical_id, {{"address", "192.0.2.5"}});
  (void)engine_->signal(id, "d", Json::parse(R"({"o": "first"})"));
  (void)engine_->signal(id, "k", Json::parse(R"({"data": "there"})"));
  (void)engine_->signal(id, "h", Json::parse(R"({"id": "1", "data": "in time"})"));
  expect_kept("while it is made");
  clock_.advance(std::chrono::seconds(61));
  engine_->tick();
  ASSERT_EQ(status("s"), "CREATE_FAILED");
  expect_kept("of a condition that failed");
  (void)engine_->signal(id, "h", Json::parse(R"({"id": "2", "data": "late"})"));
  ASSERT_EQ(known()["w"]["data"], R"({"1": "in time", "2": "late"})");
  expect_kept("of one that failed and whose handle was signalled then");
  for (const Action action : {Action::suspend, Action::resume, Action::check}) {
    engine_->act(id, action);
    expect_kept(std::string(word(action)));
  }
  for (const char* path : {"h", "done", "s", "d"}) mark_unhealthy(path);
  ASSERT_EQ(known()["d"]["o"], "first");
  expect_kept("of what was marked unhealthy");
}

TEST_F(KnownTest, WhatAnUpdateAsksForAgainIsKnownAsItWasUntilItIsAnswered) {
  const auto stack = [](int version) {
    return replace_all(
        R"-({"k": {"role": "wait_handle"}, "w": {"role": "wait_condition", "handle": "k", "needs": ["k"],
          "properties": {"(metadata)": VERSION}},
        "s": {"role": "server", "is_machine": true, "properties": {"v": VERSION}, "replaced_by": ["v"]},
        "d": {"role": "deployment", "server": "s", "outputs": [{"name": "o"}], "properties": {"v": VERSION}}})-",
        "VERSION", std::to_string(version));
  };
  const std::string id = create("s", stack(1));
  engine_->machine_came(at("s", "s").physical_id, {{"address", "192.0.2.5"}});
  (void)engine_->signal(id, "d", Json::parse(R"({"o": "first"})"));
  (void)engine_->signal(id, "k", Json::parse(R"({"data": "there"})"));
  ASSERT_EQ(status("s"), "CREATE_COMPLETE");
  engine_->update(id, body(stack(2)));
  ASSERT_EQ(status("s"), "UPDATE_IN_PROGRESS");
  EXPECT_EQ(known()["d"]["o"], "first");
  EXPECT_EQ(known()["s"]["address"], "192.0.2.5") << "it is the same machine";
  expect_kept("while it waits");
  (void)engine_->signal(id, "d", Json::parse(R"({"o": "second", "deploy_status_code": 1})"));
  ASSERT_EQ(status("s"), "UPDATE_FAILED");
  expect_kept("where it failed");
  engine_->update(id, body(stack(3)));
  (void)engine_->signal(id, "d", Json::parse(R"({"o": "third"})"));
  ASSERT_EQ(status("s"), "UPDATE_COMPLETE");
  EXPECT_EQ(known()["d"]["o"], "third");
  expect_kept("where it was answered");
}

TEST_F(EngineTest, AfterAKillItGoesOnWhereItWasAndKnowsWhatItLearned) {
  const std::string id = create("s1", k_one_server);
  (void)engine_->signal(id, "d1", Json::parse(R"({"result": "42"})"));
  const Json before = metadata("s1", "s");
  restart();
  EXPECT_EQ(status("s1"), "CREATE_IN_PROGRESS");
  EXPECT_EQ(metadata("s1", "s"), before);
  EXPECT_EQ(before["deployments"][0]["inputs"]["in"], "42");
  (void)engine_->signal(id, "d2", Json::object());
  EXPECT_EQ(status("s1"), "CREATE_COMPLETE");
  restart();
  EXPECT_EQ(status("s1"), "CREATE_COMPLETE");
}

TEST_F(EngineTest, WhatNothingHasComeToYetOutlivesAKillToo) {
  const std::string id = create("s1", k_one_server);
  restart();
  ASSERT_NE(engine_->find("s1").live->tree.find_path("d2"), k_none);
  (void)engine_->signal(id, "d1", Json::parse(R"({"result": "42"})"));
  EXPECT_EQ(status("s1"), "CREATE_IN_PROGRESS");
  (void)engine_->signal(id, "d2", Json::object());
  EXPECT_EQ(status("s1"), "CREATE_COMPLETE");
}

TEST_F(EngineTest, WhatRunsOnBesideAFailureOutlivesAKillToo) {
  Json given = body(R"({"s": {"role": "server"}, "bad": {"role": "deployment", "server": "s", "needs": ["s"]},
      "beside": {"role": "deployment", "server": "s", "needs": ["s"]}, "then": {"needs": ["beside"]},
      "h": {"role": "wait_handle"}, "w": {"role": "wait_condition", "handle": "h", "timeout": 60, "needs": ["h"]}})");
  given["on_failure"] = "continue";
  const std::string id = engine_->create("admin", "s1", given);
  (void)engine_->signal(id, "bad", Json::parse(R"({"deploy_status_code": 1})"));
  EXPECT_EQ(status("s1"), "CREATE_FAILED");
  restart();
  (void)engine_->signal(id, "beside", Json::object());
  EXPECT_EQ(at("s1", "then").action, Action::create);
  clock_.advance(std::chrono::seconds(61));
  engine_->tick();
  EXPECT_EQ(at("s1", "w").reason, "WaitConditionTimeout: resources.w: 0 of 1 received");
  EXPECT_EQ(status("s1"), "CREATE_FAILED");
}

TEST_F(EngineTest, WhatRunsOnBesideAFailureCannotBeMarked) {
  Json given = body(R"({"s": {"role": "server"}, "bad": {"role": "deployment", "server": "s", "needs": ["s"]},
      "n": {"role": "nested", "stack": {"t": {"role": "server"}, "e": {"role": "deployment", "server": "t"},
                                        "f": {"role": "deployment", "server": "t"}}}})");
  given["on_failure"] = "continue";
  const std::string id = engine_->create("admin", "s1", given);
  (void)engine_->signal(id, "bad", Json::parse(R"({"deploy_status_code": 1})"));
  const auto mark = [&](const char* path) {
    LiveTree& live = *engine_->find("s1").live;
    engine_->mark(live, live.tree.find_path(path), true, "it does not answer");
  };
  const auto nested = [&]() -> const StackRecord& { return engine_->find("s1").live->tree.stack(at("s1", "n").child); };
  (void)engine_->signal(nested().id, "e", Json::object());
  EXPECT_THROW(mark("n.e"), EngineError);
  EXPECT_THROW(mark("n"), EngineError);
  (void)engine_->signal(nested().id, "f", Json::object());
  EXPECT_EQ(nested().status, Status::complete);
  mark("n.e");
  EXPECT_EQ(at("s1", "n.e").status, Status::failed);
  EXPECT_EQ(at("s1", "n.e").action, Action::check);
}

TEST_F(EngineTest, AnUpdateOutlivesAKillToo) {
  const std::string id = create("s1", k_one_server);
  (void)engine_->signal(id, "d1", Json::parse(R"({"result": "42"})"));
  (void)engine_->signal(id, "d2", Json::object());
  const std::string former = at("s1", "d2").deployment.config_id;
  engine_->update(id, body(R"({"s": {"role": "server", "name": "node-0"},
      "d2": {"role": "deployment", "server": "s", "name": "A", "needs": ["s"], "properties": {"in": "new"}}})"));
  restart();
  EXPECT_EQ(status("s1"), "UPDATE_IN_PROGRESS");
  EXPECT_NE(at("s1", "d2").deployment.config_id, former);
  (void)engine_->signal(id, "d2", Json::object());
  EXPECT_EQ(status("s1"), "UPDATE_COMPLETE");
  EXPECT_EQ(engine_->find("s1").live->tree.find_path("d1"), k_none);
  EXPECT_EQ(metadata("s1", "s")["deployments"].size(), 1U);
  restart();
  EXPECT_EQ(engine_->find("s1").live->tree.find_path("d1"), k_none);
}

TEST_F(EngineTest, RefusesWhatHeatRefusesInHeatsWords) {
  const auto refusal = [&](const std::function<void()>& call) {
    try {
      call();
    } catch (const EngineError& error) {
      return cat(error.type(), ": ", error.what());
    }
    return std::string("taken");
  };
  create("s1", k_one_server);
  EXPECT_EQ(refusal([&] { create("s1", "{}"); }), "StackExists: The Stack (s1) already exists.");
  EXPECT_THAT(refusal([&] { create("1s", "{}"); }), HasSubstr("must start with alpha"));
  EXPECT_EQ(refusal([&] { create("s2", R"({"refused": {}})"); }), "StackValidationFailed: the template is refused");
  EXPECT_EQ(refusal([&] { (void)engine_->find("s2"); }), "EntityNotFound: The Stack (s2) could not be found.");
  EXPECT_EQ(refusal([&] { engine_->update(engine_->find("s1").live->tree.id, body("{}")); }),
            "ActionInProgress: Stack s1 already has an action (CREATE) in progress.");
}

TEST_F(EngineTest, ADeletedStackIsGoneButItsMachinesAreTold) {
  const std::string id = create("s1", k_one_server);
  const std::string key = metadata("s1", "s")["os-collect-config"]["cfn"]["access_key_id"];
  engine_->act(id, Action::erase);
  EXPECT_THROW((void)engine_->find("s1"), EngineError);
  for (int round = 0; round < 2; ++round) {
    const auto owner = engine_->access_key(key);
    ASSERT_TRUE(owner);
    const auto detail = engine_->resource(owner->stack_id, owner->resource);
    ASSERT_TRUE(detail);
    EXPECT_THAT(*detail->metadata.text, HasSubstr("decommissioned"));
    EXPECT_TRUE(log_.holds("node-0 was decommissioned, but its machine still polls"));
    restart();
  }
  clock_.advance(std::chrono::hours(24 * 89));
  engine_->tick();
  EXPECT_TRUE(engine_->access_key(key));
  clock_.advance(std::chrono::hours(24 * 2));
  engine_->tick();
  EXPECT_FALSE(engine_->access_key(key)) << "for three months";
  EXPECT_THAT(repository_->settings_below("retired/"), testing::IsEmpty());
}

TEST_F(EngineTest, OfServersThatWentTenThousandAreRemembered) {
  engine_.reset();
  repository_.reset();
  sql::Database((directory_.path() / "state.db").string())
      .run(
          "WITH RECURSIVE n(i) AS (SELECT 0 UNION ALL SELECT i + 1 FROM n WHERE i < 10049) "
          "INSERT INTO setting (name, value) SELECT 'retired/key-' || i, json_object('key', 'key-' || i, 'object', "
          "'object-' || i, 'until', 1000000 + i) FROM n");
  restart();
  engine_->tick();
  EXPECT_EQ(repository_->settings_below("retired/").size(), 10'000U);
  EXPECT_FALSE(engine_->access_key("key-49"));
  EXPECT_TRUE(engine_->access_key("key-50"));
}

TEST_F(EngineTest, TimeRunsOutByAClockThatNobodySets) {
  (void)create("s",
               R"({"h": {"role": "wait_handle"}, "w": {"role": "wait_condition", "handle": "h", "needs": ["h"]}})");
  clock_.set_ahead(std::chrono::hours(24));
  engine_->tick();
  EXPECT_EQ(status("s"), "CREATE_IN_PROGRESS") << "the time of day went forward";
  clock_.set_ahead(std::chrono::hours(-48));
  clock_.advance(std::chrono::seconds(61));
  engine_->tick();
  EXPECT_EQ(status("s"), "CREATE_FAILED") << "and back";
}

TEST_F(EngineTest, TimeRunsOutByTheStacksOwnTimeout) {
  Json request = body(k_one_server);
  request["timeout_mins"] = 2;
  engine_->create("admin", "s1", request);
  clock_.advance(std::chrono::seconds(119));
  engine_->tick();
  EXPECT_EQ(status("s1"), "CREATE_IN_PROGRESS");
  clock_.advance(std::chrono::seconds(1));
  engine_->tick();
  EXPECT_EQ(status("s1"), "CREATE_FAILED");
}

TEST_F(EngineTest, AFailureIsRolledBackWhereThatIsWanted) {
  Json request = body(k_one_server);
  request["disable_rollback"] = false;
  const std::string id = engine_->create("admin", "s1", request);
  (void)engine_->signal(id, "d1", Json::parse(R"({"deploy_status_code": 1})"));
  EXPECT_EQ(status("s1"), "ROLLBACK_COMPLETE");
  EXPECT_TRUE(engine_->find("s1").live->tree.root().resources.empty());
}

}  // namespace
}  // namespace hearth::metadata::live
