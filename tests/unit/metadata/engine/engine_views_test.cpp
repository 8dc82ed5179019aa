#include "tests/unit/metadata/engine/engine_fixture.hpp"

namespace hearth::metadata::live {
namespace {

using testing::HasSubstr;

TEST_F(EngineTest, AServersDocumentHasItsDeploymentsByNameAndHowToAskForIt) {
  const std::string id = create("s1", k_one_server);
  (void)engine_->signal(id, "d1", Json::object());
  const Json document = metadata("s1", "s");
  EXPECT_EQ(document["deployments"][0]["name"], "A");
  EXPECT_EQ(document["deployments"][1]["name"], "B");
  EXPECT_EQ(document["os-collect-config"]["cfn"]["stack_name"], "s1");
  EXPECT_EQ(document["os-collect-config"]["cfn"]["path"], "s.Metadata");
}

TEST_F(EngineTest, ADocumentGetsAnotherTagAndALaterTimeWithEachChangeEvenWithinASecond) {
  const std::string id = create("s1", k_one_server);
  const Document before = engine_->resource(id, "s")->metadata;
  EXPECT_EQ(engine_->resource(id, "s")->metadata.tag, before.tag);
  (void)engine_->signal(id, "d1", Json::object());
  const Document after = engine_->resource(id, "s")->metadata;
  EXPECT_NE(after.tag, before.tag);
  EXPECT_GT(after.modified, before.modified);
}

TEST_F(EngineTest, AKeyBelongsToOneResourceAndASignalsKeyEndsWithItsTrigger) {
  const std::string id = create("s1", k_one_server);
  const std::string key = at("s1", "d1").deployment.key_id;
  EXPECT_EQ(engine_->access_key(key)->resource, "d1");
  EXPECT_EQ(engine_->access_key(key)->stack_id, id);
  (void)engine_->signal(id, "d1", Json::parse(R"({"result": "1"})"));
  (void)engine_->signal(id, "d2", Json::object());
  engine_->update(id,
                  body(replace_all(k_one_server, "\"needs\": [\"s\"]", R"("needs": ["s"], "properties": {"x": 1})")));
  EXPECT_NE(at("s1", "d1").deployment.key_id, key);
  EXPECT_FALSE(engine_->access_key(key));
  EXPECT_FALSE(engine_->access_key("nobody"));
}

TEST_F(EngineTest, SignalsGoToResourcesThatThereAre) {
  const std::string id = create("s1", k_one_server);
  EXPECT_EQ(engine_->signal("nowhere", "d1", Json::object()).kind, SignalOutcome::Kind::no_stack);
  EXPECT_EQ(engine_->signal(id, "nothing", Json::object()).kind, SignalOutcome::Kind::no_resource);
  EXPECT_EQ(engine_->signal(id, "s", Json::object()).kind, SignalOutcome::Kind::bad);
}

TEST_F(EngineTest, ADeploymentWaitsForWhatWasLastHeardOfItsMachine) {
  const std::string id = create("s1", k_one_server);
  const StackPlace place = engine_->find("s1");
  const std::size_t d1 = place.live->tree.find_path("d1");
  EXPECT_THAT(engine_->waits_for(*place.live, d1), HasSubstr("s has not asked for its metadata"));
  (void)engine_->resource(id, "s");
  clock_.advance(std::chrono::seconds(20));
  EXPECT_EQ(engine_->waits_for(*place.live, d1), "s last asked 20 s ago");
  RunReport report;
  report.state = RunReport::State::failed;
  report.status = 1;
  report.step = "20-os-net-config";
  report.why = "ip: No such file or directory";
  engine_->note_run(id, "s", report);
  EXPECT_EQ(
      engine_->waits_for(*place.live, d1),
      "s last asked 20 s ago; its last run failed 0 s ago in 20-os-net-config (exit code 1, after 0 s): ip: No such "
      "file or directory");
  RunReport next;
  engine_->note_run(id, "s", next);
  engine_->tick();
  const std::vector<EventRecord> events = engine_->events({{id}, "d1"});
  EXPECT_EQ(events.back().reason,
            "s's last run failed in 20-os-net-config (exit code 1, after 0 s): ip: No such file or directory");
  EXPECT_EQ(events.back().status, "CREATE_IN_PROGRESS");
  report.state = RunReport::State::running;
  engine_->note_run(id, "s", report);
  report.state = RunReport::State::failed;
  engine_->note_run(id, "s", report);
  engine_->tick();
  EXPECT_EQ(engine_->events({{id}, "d1"}).size(), events.size()) << "the same failure is told once";
  report.why = "ip: another one";
  engine_->note_run(id, "s", report);
  engine_->tick();
  EXPECT_EQ(engine_->events({{id}, "d1"}).size(), events.size()) << "and others not faster than once a minute";
  engine_->note_run(id, "d1", report);
  EXPECT_THAT(log_.lines, testing::Contains(HasSubstr("server s of stack s1: its last run failed")));
  EXPECT_EQ(log_.lines.size(), 1U) << "a deployment runs nothing";
  EXPECT_EQ(engine_->waits_for(*place.live, place.live->tree.find_path("s")), "") << "it is done";
  (void)engine_->signal(id, "d1", Json::object());
  EXPECT_EQ(engine_->waits_for(*place.live, d1), "") << "it is done";
}

TEST_F(EngineTest, AResourceThatHasNotBegunWaitsForThoseThatItNeeds) {
  const std::string id =
      create("s1", R"({"s": {"role": "server"}, "a": {"role": "deployment", "server": "s", "needs": ["s"]},
      "b": {"role": "deployment", "server": "s", "needs": ["s", "a"]}})");
  const StackPlace place = engine_->find("s1");
  EXPECT_EQ(engine_->waits_for(*place.live, place.live->tree.find_path("b")), "not begun: it needs a, not done yet");
  RunReport report;
  report.state = RunReport::State::failed;
  report.step = "20-os-net-config";
  engine_->note_run(id, "s", report);
  engine_->tick();
  EXPECT_EQ(engine_->events({{id}, "a"}).back().reason.find("s's last run failed"), 0U);
  EXPECT_TRUE(engine_->events({{id}, "b"}).empty()) << "it has not begun, so it does not wait for its machine";
  (void)engine_->signal(id, "a", Json::object());
  const StackPlace later = engine_->find("s1");
  EXPECT_THAT(engine_->waits_for(*later.live, later.live->tree.find_path("b")), HasSubstr("has not asked"));
}

constexpr const char* k_temp_url = R"({"s": {"role": "server", "name": "node-0", "transport": "POLL_TEMP_URL"},
  "d": {"role": "deployment", "server": "s", "transport": "TEMP_URL_SIGNAL", "needs": ["s"]}})";

TEST_F(EngineTest, AServersObjectIsItsDocumentAndCanNotBeWritten) {
  const std::string id = create("s1", k_temp_url);
  const ObjectPath path{"AUTH_admin", "node-0", at("s1", "s").data.object};
  EXPECT_THAT(*engine_->object(path)->text, HasSubstr("\"deployments\""));
  EXPECT_FALSE(engine_->put_object(path, "{}", "t"));
  EXPECT_FALSE(engine_->remove_object(path));
  EXPECT_TRUE(engine_->temp_url_keys("admin", "node-0").empty());
  EXPECT_EQ(engine_->temp_url_keys("AUTH_admin", "node-0").size(), 1U);
  const ObjectPath signal{"AUTH_admin", id, at("s1", "d").deployment.key_id};
  EXPECT_TRUE(engine_->takes_runs(path));
  EXPECT_FALSE(engine_->takes_runs(signal));
  RunReport report;
  report.step = "20-net";
  engine_->note_object_run(signal, report);
  EXPECT_FALSE(engine_->last_run(at("s1", "s").physical_id));
  engine_->note_object_run(path, report);
  EXPECT_EQ(engine_->last_run(at("s1", "s").physical_id)->step, "20-net");
}

TEST_F(EngineTest, ASignalByTempUrlIsTheFirstBodyThatIsNotEmpty) {
  const std::string id = create("s1", k_temp_url);
  const ObjectPath path{"AUTH_admin", id, at("s1", "d").deployment.key_id};
  EXPECT_FALSE(engine_->put_object(path, "no json", "t"));
  EXPECT_TRUE(engine_->put_object(path, "", "t"));
  EXPECT_EQ(status("s1"), "CREATE_IN_PROGRESS");
  EXPECT_TRUE(engine_->put_object(path, "{}", "t"));
  EXPECT_EQ(status("s1"), "CREATE_COMPLETE");
}

TEST_F(EngineTest, OtherObjectsAreKept) {
  const ObjectPath path{"AUTH_admin", "c", "o"};
  EXPECT_FALSE(engine_->object(path));
  const auto first = engine_->put_object(path, "one", "text/plain");
  const auto second = engine_->put_object(path, "two", "text/plain");
  EXPECT_GT(second->modified, first->modified);
  restart();
  EXPECT_EQ(*engine_->object(path)->text, "two");
  EXPECT_TRUE(engine_->remove_object(path));
  EXPECT_FALSE(engine_->remove_object(path));
}

TEST_F(EngineTest, KnowsWhenAnAgentAskedLast) {
  const std::string id = create("s1", k_one_server);
  EXPECT_EQ(engine_->last_poll(at("s1", "s").physical_id), 0);
  (void)engine_->resource(id, "s");
  EXPECT_EQ(engine_->last_poll(at("s1", "s").physical_id), 3600);
}

/// In the midst of a step what agents hold can be read, of the stack that is being changed as it was before.
TEST_F(EngineTest, InTheMidstOfAStepAllAreAsTheyAreKept) {
  create("still", k_one_server);
  const std::string still = at("still", "s").data.key;
  create("moves", R"({"s": {"role": "server", "name": "node-1"}})");
  const std::string moves = at("moves", "s").data.key;
  const Json kept = metadata("moves", "s");
  std::size_t breaths = 0;
  std::size_t before_it = 0;
  engine_->set_breath([&] {
    ++breaths;
    EXPECT_TRUE(engine_->is_steady(still));
    EXPECT_FALSE(engine_->is_steady("unknown"));
    const AccessKey key = *engine_->access_key(still);
    EXPECT_EQ(engine_->resource(key.stack_id, key.resource)->stack_name, "still");
    if (status("moves") != "CREATE_COMPLETE") return;  // it is kept
    ++before_it;
    EXPECT_TRUE(engine_->is_steady(moves));
    EXPECT_EQ(metadata("moves", "s"), kept);
  });
  engine_->update(engine_->find("moves").live->tree.id, body(R"({"s": {"role": "server", "name": "other"}})"));
  EXPECT_GT(before_it, 0U);
  std::string many = R"("s": {"role": "server", "name": "other"})";
  for (int i = 0; i < 600; ++i) many += cat(R"(, "c)", i, R"(": {"role": "plain"})");
  const std::size_t before = breaths;
  engine_->update(engine_->find("moves").live->tree.id, body(cat("{", many, "}")));
  EXPECT_GT(breaths, before + 600) << "between two resources";
  engine_->set_breath({});
  EXPECT_TRUE(engine_->is_steady(moves));
}

TEST_F(EngineTest, FormerKeysHoldForTheirTimeAndOpenTheNewOnes) {
  create("st", R"({"s": {"role": "server", "name": "node"}, "u": {"role": "server", "transport": "POLL_TEMP_URL"}})");
  const std::string former = at("st", "s").data.key;
  const ObjectPath object{"AUTH_admin", at("st", "u").data.container, at("st", "u").data.object};
  ASSERT_TRUE(engine_->object(object));
  const std::string tag = engine_->object(object)->tag;
  const auto now = std::chrono::duration_cast<std::chrono::seconds>(clock_.wall().time_since_epoch()).count();
  engine_->rotate(engine_->find("st").live->tree.id, now + 100);
  for (int times = 0; times < 2; ++times) {
    const std::string fresh = at("st", "s").data.key;
    EXPECT_NE(fresh, former);
    EXPECT_TRUE(engine_->access_key(fresh));
    ASSERT_TRUE(engine_->access_key(former)) << "or an agent could not fetch the new one";
    EXPECT_EQ(metadata("st", "s")["os-collect-config"]["cfn"]["access_key_id"], fresh);
    ASSERT_TRUE(engine_->object(object));
    EXPECT_NE(engine_->object(object)->tag, tag);
    restart();
  }
  clock_.sleep(std::chrono::seconds(101));
  EXPECT_FALSE(engine_->access_key(former));
  EXPECT_FALSE(engine_->object(object));
  EXPECT_TRUE(engine_->access_key(at("st", "s").data.key));
}

}  // namespace
}  // namespace hearth::metadata::live
